"""Faults in formulas: metrics and their uncertainty."""

from tools.mutant_lists.mutant import Mutant

__all__ = ["MUTANTS"]

_WRONG_ONCE = "tests/test_exact_metrics.py::test_tables_that_were_wrong_once"

MUTANTS = (
    Mutant(
        "prior of two classes in a stratum",
        "src/infoscope/judges/belief.py",
        "PRIOR = 0.5",
        "PRIOR = 1.0",
        ("tests/judges/test_reference.py::test_mean_and_sd_of_the_accuracy_of_two_classes_are_exact",),
    ),
    Mutant(
        "verdicts that repeat the prediction",
        "src/infoscope/judges/error_model.py",
        "return _Sums(np.maximum(own, 0.0), system, (repeats + 0.5) / (system.sum(axis=(-1, -2)) + 10))",
        "return _Sums(np.maximum(own, 0.0), system, 0.0 * repeats)",
        ("tests/judges/test_reference.py::test_how_often_the_judge_repeats_the_prediction_agrees",),
    ),
    Mutant(
        "jackknife factor of the group bootstrap",
        "src/infoscope/posterior/bootstrap.py",
        "bias = (len(without) - 1) *",
        "bias = len(without) *",
        ("tests/comparison/test_resampling.py::test_the_correction_makes_an_average_over_pairs_unbiased",),
    ),
    Mutant(
        "kappa in whole numbers",
        "src/infoscope/metrics/agreement.py",
        "_CANCELLED = 1e-6",
        "_CANCELLED = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "kappa of weights that underflow",
        "src/infoscope/metrics/agreement.py",
        "_UNDERFLOWN = 1e-280",
        "_UNDERFLOWN = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "correct rejections added up",
        "src/infoscope/metrics/one_vs_rest.py",
        "rejections = _recounted(rejections, others, table)",
        "pass",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "divergence near independence in whole numbers",
        "src/infoscope/metrics/independence.py",
        "_NEARLY_INDEPENDENT = 1e-11",
        "_NEARLY_INDEPENDENT = -1.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "classes too small to multiply",
        "src/infoscope/metrics/independence.py",
        "_VANISHING = 1e-140",
        "_VANISHING = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "information too small for a float",
        "src/infoscope/metrics/shannon.py",
        "_TINY_BITS = 1e-100",
        "_TINY_BITS = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "small entropies by what is lacking",
        "src/infoscope/metrics/shannon.py",
        "_FEW_BITS = 1e-4",
        "_FEW_BITS = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "series near a lift of 1",
        "src/infoscope/numeric.py",
        "_SERIES = 2.0**-6",
        "_SERIES = 0.0",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "pairs of counts beyond 2^53",
        "src/infoscope/metrics/pair_counting.py",
        "if total.max() >= 2.0**53:",
        "if total.max() >= np.inf:",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "quadratic loss without the difference",
        "src/infoscope/metrics/losses.py",
        "shares.lacking**2 + _wrong_squares(table)",
        "(1 - shares.right) ** 2 + _wrong_squares(table)",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "parts of all bits at most 1",
        "src/infoscope/metrics/per_class.py",
        "return np.minimum(ratio(per_line(nats), nats.sum(axis=-1)[..., None]), 1.0)",
        "return ratio(per_line(nats), nats.sum(axis=-1)[..., None])",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "negative beta",
        "src/infoscope/metrics/one_vs_rest.py",
        "is_usable = bool(0 <= beta < np.inf)",
        "is_usable = bool(beta < np.inf)",
        ("tests/test_exact_metrics.py::test_beta_is_checked",),
    ),
    Mutant(
        "undefined is not 0",
        "src/infoscope/numeric.py",
        "return part / whole if whole else np.float64(np.nan)",
        "return part / whole if whole else np.float64(0.0)",
        (_WRONG_ONCE,),
    ),
    Mutant(
        "joint entropy",
        "src/infoscope/metrics/shannon.py",
        "joint = mutual + missed + spurious",
        "joint = mutual + missed",
        ("tests/test_numerics.py::test_entropies_of_hard_tables",),
    ),
    Mutant(
        "Fano's root",
        "src/infoscope/metrics/bounds.py",
        "slope = log2((1 - e) / e) + spread",
        "slope = log2(1 / e) + spread",
        ("tests/test_numerics.py::test_tight_fano_bound_solves_its_equation",),
    ),
    Mutant(
        "degrees of freedom",
        "src/infoscope/metrics/association.py",
        "return np.float64(1.0) * (rows - 1) * (columns - 1)",
        "return np.float64(1.0) * (rows - 1) * columns",
        ("tests/peers/test_scipy.py::test_g_test",),
    ),
    Mutant(
        "sd of draws",
        "src/infoscope/posterior/summary.py",
        "mean, sd = values.mean(0), values.std(0, ddof=1)",
        "mean, sd = values.mean(0), values.std(0)",
        ("tests/posterior/test_posterior_front.py::test_spread_of_few_draws_is_that_of_a_sample",),
    ),
    Mutant(
        "second order of the covariance",
        "src/infoscope/posterior/moments.py",
        "six = (first_order + _second_order(brackets) / size) / (size + 1)",
        "six = first_order / (size + 1)",
        ("tests/posterior/test_posterior_oracle.py::test_dense_moments_agree_with_the_oracle",),
    ),
    Mutant(
        "samples to halve an interval",
        "src/infoscope/posterior/sample_size.py",
        "goal = posterior.moments.sd_of(measure) / 2",
        "goal = posterior.moments.sd_of(measure) / 3",
        ("tests/posterior/test_posterior_front.py::test_samples_to_halve_do_halve",),
    ),
)
