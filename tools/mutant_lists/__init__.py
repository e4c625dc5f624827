"""The mutants that ``make mutants`` tries: where the fault goes, what it is, and the tests that must notice it.

A snippet must be exactly once in its file, so that a mutant whose line has changed is found out at once
(``tests/test_mutants.py``).
"""

from tools.mutant_lists import data, numbers, results
from tools.mutant_lists.mutant import Mutant

__all__ = ["MUTANTS", "Mutant"]

MUTANTS: tuple[Mutant, ...] = (*numbers.MUTANTS, *data.MUTANTS, *results.MUTANTS)
