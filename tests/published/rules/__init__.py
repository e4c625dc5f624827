"""Rules for the formulas and claims of each paper; importing this package files them all."""

from tests.published.rules import holt2010, hu2008, kdd2005, steingold2016, valverde2013

__all__ = ["holt2010", "hu2008", "kdd2005", "steingold2016", "valverde2013"]
