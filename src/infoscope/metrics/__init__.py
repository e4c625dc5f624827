"""Metrics: pure functions of a table, one module per family, with the formula of each on its card.

What is listed here is public as ``infoscope.metrics.NAME``, takes a table or labels, and is part of every evaluation.
Families share ``one_vs_rest``, ``shannon`` (entropies), ``independence`` and ``chance``; ``registry`` finds a metric by
its id or alias.
"""

from typing import NoReturn

from infoscope.errors import UnknownNameError
from infoscope.metrics.agreement import (
    accepted_accuracy,
    accuracy,
    error_rate,
    gwet_ac1,
    kappa,
    mcc,
    proficiency_without_reject,
    random_accuracy,
    rejection_rate,
    truth_random_accuracy,
)
from infoscope.metrics.association import (
    chi2_p_value,
    cramers_v,
    g_p_value,
    g_statistic,
    phi_squared,
)
from infoscope.metrics.averages import (
    balanced_accuracy,
    macro_f1,
    macro_jaccard,
    macro_precision,
    macro_recall,
    rand_index,
    weighted_f1,
    weighted_fpr,
    weighted_jaccard,
    weighted_npv,
    weighted_ppv,
    weighted_tpr,
)
from infoscope.metrics.binary import (
    diagnostic_odds_ratio,
    f1,
    f_beta,
    false_alarm_rate,
    informedness,
    jaccard,
    lift,
    markedness,
    negative_likelihood_ratio,
    npv,
    phi,
    positive_likelihood_ratio,
    precision,
    recall,
    specificity,
)
from infoscope.metrics.bounds import (
    bayes_error,
    fano_bound,
    hellman_raviv_bound,
    tight_fano_bound,
)
from infoscope.metrics.losses import (
    expected_cost,
    information_cost,
    informational_loss,
    linear_loss,
    quadratic_loss,
    return_on_investment,
    zero_one_loss,
)
from infoscope.metrics.normalized import (
    adjusted_mutual_information,
    erroneous_information_ratio,
    error_information_ratio,
    false_information_ratio,
    information_precision,
    missed_information_ratio,
    nmi_arithmetic,
    nmi_geometric,
    nmi_joint,
    nmi_max,
    nmi_min,
    normalized_mutual_information,
    proficiency,
    v_measure,
)
from infoscope.metrics.ordinal import (
    linear_weighted_kappa,
    mean_absolute_error,
    neighbour_loss_share,
    off_by_one_rate,
    quadratic_weighted_kappa,
    ranked_probability_score,
)
from infoscope.metrics.partitions import (
    adjusted_rand_index,
    bcubed_f1,
    bcubed_precision,
    bcubed_recall,
    fowlkes_mallows,
    hubert_index,
    larsen_index,
    mirkin_distance,
    pair_confusion_matrix,
    pair_jaccard,
    pair_measures,
    pair_rand_index,
    van_dongen_distance,
    wallace_system,
    wallace_truth,
)
from infoscope.metrics.per_class import (
    cell_false_information,
    cell_missed_information,
    cell_mutual_information,
    class_f1,
    class_f_beta,
    class_false_information,
    class_false_share,
    class_jaccard,
    class_missed_share,
    class_precision,
    class_recall,
    class_specificity,
    class_support,
    output_declared,
    output_false_share,
    output_missed_information,
    output_missed_share,
    output_precision,
)
from infoscope.metrics.registry import find
from infoscope.metrics.sensitivity import (
    best_moves,
    gain_of_move,
    move_derivative,
    move_sentences,
    sensitivities,
    sign_rule,
)
from infoscope.metrics.shannon import (
    erroneous_information,
    false_information,
    joint_entropy,
    missed_information,
    mutual_information,
    system_entropy,
    truth_entropy,
)
from infoscope.metrics.triangle import (
    effective_classes,
    entropy_modified_accuracy,
    normalized_transfer_factor,
    product_entropy,
    remnant_classes,
    split_system_divergence,
    split_system_remainder,
    split_system_transfer,
    split_truth_divergence,
    split_truth_remainder,
    split_truth_transfer,
    system_classes,
    system_divergence_factor,
    system_remnant_classes,
    transfer_factor,
    triangle_divergence,
    triangle_transfer,
    triangle_variation,
    truth_divergence_factor,
    uniform_divergence,
    uniform_entropy,
)

__all__ = [  # the functions of families, without the families themselves and what is used here
    name
    for name, value in vars().items()
    if getattr(value, "__module__", "").startswith(f"{__name__}.") and value != find
]


def __getattr__(name: str) -> NoReturn:
    """Answer names that other packages use with ours."""
    reason = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        try:
            reason += f"; here the metric is {find(name).name!r}"
        except UnknownNameError as error:
            reason += f"; {error}"
    raise AttributeError(reason)
