"""Faults on the way in and out: tables, readers, the command line."""

from tools.mutant_lists.mutant import Mutant

__all__ = ["MUTANTS"]

MUTANTS = (
    Mutant(
        "system labels in data_hash",
        "src/infoscope/tables/ifs_file.py",
        "for side in (table.truth_labels, table.system_labels):",
        "for side in (table.truth_labels,):",
        ("tests/tables/test_hashing.py::test_labels_of_either_side_count",),
    ),
    Mutant(
        "total beyond floats",
        "src/infoscope/tables/counted.py",
        'if values.dtype.kind == "f" and values.size and values.max() >',
        'if values.dtype.kind == "g" and values.size and values.max() >',
        ("tests/test_exact_metrics.py::test_a_total_too_large_for_a_number_is_refused",),
    ),
    Mutant(
        "weights of merged tables",
        "src/infoscope/tables/transform.py",
        "float(table.grand_total) if table.weight_squares is None else table.weight_squares",
        "float(table.grand_total)",
        ("tests/tables/test_new_tables_from_old.py::test_adding_weighted_tables_adds_squares",),
    ),
    Mutant(
        "rows left out of a merged table",
        "src/infoscope/tables/transform.py",
        "ignored = all_ignored((one.ignored, other.ignored))",
        "ignored = dict(one.ignored)",
        ("tests/tables/test_new_tables_from_old.py::test_sum_works_and_keeps_count_of_what_was_ignored",),
    ),
    Mutant(
        "effective sample size",
        "src/infoscope/tables/counted.py",
        "return total**2 / self.weight_squares if self.weight_squares else None",
        "return total if self.weight_squares else None",
        ("tests/tables/test_from_labels.py::test_weights_add_up_and_give_the_effective_size",),
    ),
    Mutant(
        "sums beyond 64 bits",
        "src/infoscope/tables/counted.py",
        "_LARGEST_SUM = 2.0**62",
        "_LARGEST_SUM = 2.0**70",
        ("tests/test_numerics.py::test_sums_beyond_64_bits_do_not_overflow",),
    ),
    Mutant(
        "weights of a counter squared",
        "src/infoscope/readers/counter.py",
        "self._squares += other._squares",
        "self._squares = other._squares",
        ("tests/readers/test_counter.py::test_weights_and_holes_of_merged_counters_add_up",),
    ),
    Mutant(
        "rows left out of merged counters",
        "src/infoscope/readers/counter.py",
        "_add(self._ignored, other._ignored)",
        "pass",
        ("tests/readers/test_counter.py::test_weights_and_holes_of_merged_counters_add_up",),
    ),
    Mutant(
        "quotes in keys",
        "src/infoscope/readers/duckdb/session.py",
        'return "\'" + text.replace("\'", "\'\'") + "\'"',
        'return "\'" + text + "\'"',
        ("tests/readers/test_odd_files.py::test_quotes_in_the_names_of_columns",),
    ),
    Mutant(
        "quotes in names",
        "src/infoscope/readers/duckdb/session.py",
        "return '\"' + name.replace('\"', '\"\"') + '\"'",
        "return '\"' + name + '\"'",
        ("tests/readers/test_odd_files.py::test_quotes_in_the_names_of_columns",),
    ),
    Mutant(
        "whole numbers written as floats",
        "src/infoscope/readers/labels.py",
        "return int(value) if value == int(value) else float(value)",
        "return float(value)",
        ("src/infoscope/readers/labels.py::as_number",),
    ),
    Mutant(
        "the switch of the compiled part",
        "src/infoscope/readers/parquet/native.py",
        "if native is not None:",
        "if native:",
        ("tests/readers/test_native.py::test_it_is_on_unless_an_option_says_no",),
    ),
    Mutant(
        "packed tables keep what was settled",
        "src/infoscope/readers/parquet/native.py",
        "table[:] = 0",
        "pass",
        ("tests/readers/test_packed.py::test_counts_beyond_what_small_tables_hold",),
    ),
    Mutant(
        "files that are worth the compiled part",
        "src/infoscope/readers/parquet/layout.py",
        "return by_codes < by_engine",
        "return by_codes > by_engine",
        ("src/infoscope/readers/parquet/layout.py::_is_worth_it",),
    ),
    Mutant(
        "status of bad input",
        "src/infoscope/cli/errors.py",
        "BAD_INPUT = 2",
        "BAD_INPUT = 1",
        ("tests/cli/test_bad_input.py::test_bad_input_is_one_line_and_status_2",),
    ),
    Mutant(
        "form by the name of the file",
        "src/infoscope/results/base.py",
        '".json": "json"',
        '".json": "text"',
        ("tests/cli/test_gate.py::test_lower_is_better_is_read_from_the_card",),
    ),
    Mutant(
        "package of torch that is missing",
        "src/infoscope/torch/__init__.py",
        "if error.name not in _PACKAGES:",
        "if error.name in _PACKAGES:",
        ("tests/test_absent_torch.py::test_a_missing_package_is_named_with_its_extra",),
    ),
)
