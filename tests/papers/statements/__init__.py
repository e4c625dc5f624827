"""Theorems, properties and claims of the papers with a verdict each; importing this package files them all."""

from tests.papers.statements import holt2010, hu2008, hurley2014, steingold2016, valverde2013
from tests.papers.statements.statement import Statement, Verdict, statements

MODULES = (holt2010, hurley2014, valverde2013, hu2008, steingold2016)

__all__ = ["MODULES", "Statement", "Verdict", "statements"]
