"""``infoscope explain`` knows every symbol of the five works, as they mean it, and their words."""

import pytest
from click.testing import CliRunner

from tests.api import app, find

SYMBOLS = {
    "holt2010": """
        N = number of classes in Holt | M = M in Holt et al. | D D(t,s) |D| = confusion matrix | T t S s = class
        P_{t,s} = this true and this predicted class | P_t = samples of a true class | P_s = with a predicted class
        P̂_{t,s} = were independent | P_{t|s} = output_precision | P_{s|t} = class_recall | κ kappa = kappa
        TPR = weighted_tpr | FPR = weighted_fpr | PPV = weighted_ppv | NPV = npv | C_{t,s} ℓ = expected_cost
        C_quad = quadratic_loss | C_lin = linear_loss | C_inf = informational_loss | C_{0-1} = zero_one_loss
        C_IC = information_cost | δ(i,j) = 1 if i = j | ξ xi = error_information_ratio | α = factor in front of ξ
        H(T) = truth_entropy | H(S) = system_entropy | I(T;S) = mutual_information | H(S|T) = false_information
        H(T|S) = missed_information | f f(T;S) = proficiency | r r(S|T) = false_information_ratio
        S_I = erroneous_information | S_I/H(T) = erroneous_information_ratio | H(S|T=i) = class_false_information
        H(T|S=j) = output_missed_information | μ = mean over repeated runs | σ ρ = correlation of captured | m = folds
    """,
    "hurley2014": """
        n = how many samples | n_{ij} = confusion matrix | r r_{ij} = prior of a cell | ν ν_{ij} = count plus prior
        ν_{i•} ν_{•j} ν_i· ν_·j ν̄_in = sum of ν over a row | Φ^(n) ΔΦ^(n) ΔΦ Ψ^(n) Ψ = gamma function
        Γ = gamma function | θ = step function | Q_1 = double series | p_{ij} = this true and this predicted class
        p_{i•} = samples of a true class | p_{•j} = with a predicted class | H(x,y) = joint_entropy
        H(x) = truth_entropy | H(y) = system_entropy | I(x,y) = mutual_information | H(y|x) = false_information
        H(x|y) = missed_information | H(x|y)+H(y|x) = erroneous_information
        E(H(x,y)) E(H(x)) E(H(y)) E(I(x,y)) E(H(y|x)) E(H(x|y)) = under a Dirichlet distribution
        E_IJMN E_IM E_JN E_IJM E_IJN E_IN = mean of a product of two entropies
    """,
    "valverde2013": """
        V_X V_Y X Y = X and Y in Valverde | N = of samples in Valverde | N_XY N_ij = confusion matrix
        n = n is that of true classes | k = number of true classes | p m = number of predicted classes
        P_XY P_{X,Y} = this true and this predicted class | P_X = samples of a true class | P_Y = with a predicted class
        MI MI_{P_{XY}} = mutual_information | VI VI_{P_{XY}} = erroneous_information | H_{P_{XY}} = joint_entropy
        H_{P_X} = truth_entropy | H_{P_Y} = system_entropy | H_{P_{X|Y}} = missed_information
        H_{P_{Y|X}} = false_information | H_{P_X·P_Y} = product_entropy
        H_{U_X} H_{U_Y} H_{U_{XY}} H_{U_X·U_Y} = uniform_entropy
        ΔH ΔH_{P_X·P_Y} = uniform_divergence | ΔH'_{P_X·P_Y} ΔH'_{P_{XY}} ΔH' = triangle_divergence
        ΔH_{P_X} ΔH'_{P_X} ΔH_X H'_{P_X} = split_truth_divergence
        ΔH_{P_Y} ΔH'_{P_Y} ΔH_Y H'_{P_Y} = split_system_divergence
        MI'_{P_{XY}} 2MI'_{P_{XY}} MI' 2MI' = triangle_transfer
        VI' VI'_{P_{XY}} = triangle_variation | F_XY F_{XY}(P_{XY}) = how much information is transmitted
        F_X F_Y F_X(P_XY) F_Y(P_XY) = separately | H'_{P_{X|Y}} = split_truth_remainder
        H'_{P_{Y|X}} = split_system_remainder | PP = effective_classes
        A' A'(LM) a' a'(P_{XY}) = entropy_modified_accuracy
        a(P_{XY}) = accuracy | q q(P_{XY}) = normalized_transfer_factor | k_X = effective_classes
        k_{X|Y} = remnant_classes | μ_{XY} = transfer_factor | m_{Y|X} = system_remnant_classes | m_Y = system_classes
        δ_X = truth_divergence_factor | δ_Y = system_divergence_factor
    """,
    "hu2008": """
        H(X) H(T) H_e(T) = truth_entropy | H(Y) = system_entropy | I(X,Y) I(T,Y) I_e(T,Y) = mutual_information
        H(X|Y) H(T|Y) = missed_information | H(Y|X) = false_information | p(x,y) = this true and this predicted class
        NI NI(X,Y) NI(T,Y) NI_e NI_e(T,Y) = proficiency | IG IG(S,A) = mutual_information
        NH NH(T|Y) = missed_information_ratio
        C = Hu & Wang the confusion matrix | c_{ij} = confusion matrix | C_i C_1 C_2 = truly of a class
        U_1 U_2 = rejected samples | d = number of features | x_k y_k t_k = features | n = how many samples
        m = class m + 1 is rejection | P_e(T,Y) = this true and this predicted class | P_e(T) = samples of a true class
        P_e(Y) = with a predicted class | A = accuracy | E = error_rate | Rej = rejection_rate | P = precision
        R = recall
        TP FN = recall | FP = false_alarm_rate | TN = specificity | TPR = recall | TNR = specificity
        FAR = false_alarm_rate | Pr(Y≠T) = hellman_raviv_bound | NAI NAI(T,Y) = mean information over the thresholds
        ∂I/∂TP ∂I/∂TN ∂I/∂U_1 ∂I/∂U_2 sgn = change of the mutual information | Z = TP or TN
        θ = parameters of a classifier
    """,
    "steingold2016": """
        tp fn = recall | fp = false_alarm_rate | tn = specificity | N = of samples | F_1 = f1 | F_β β = f_beta
        φ ϕ = phi
        φ² χ χ² = phi_squared | α = proficiency in Steingold | α' = permuted_proficiency | ᾱ α(o) = mean over objects
        H(A) H(Actual) = truth_entropy | I(P;A) I(Predicted;Actual) = mutual_information | A Actual = true
        P Predicted = predicted class | O_{ij} = this true and this predicted class | E_{ij} = were independent
        M(c) = reassigned | Ac_i Pc_i o_j = has the category | c_i = category | C = set of all categories
        # ℙ ∏ = number of elements | Recall_c = class_recall | Precision_c = class_precision | F_c = class_f1
        Recall(o) = object_recall | Precision(o) = object_precision | F_1(o) = object_f1
    """,
}
"""Symbols and, behind the equals sign, what is said of each of them."""


def explained(name: str) -> str:
    done = CliRunner().invoke(app, ["explain", name])
    return " ".join(done.output.split()) if done.exit_code == 0 else "unknown"


@pytest.mark.parametrize("paper", SYMBOLS)
def test_every_symbol_of_a_paper_is_explained_as_it_is_meant_there(paper: str) -> None:
    listed = [each.partition(" = ") for line in SYMBOLS[paper].splitlines() if line for each in line.split(" | ")]
    wrong = [
        (symbol, said)
        for symbols, _, said in listed
        for symbol in symbols.split()
        if said.strip() not in explained(symbol)
    ]

    assert len(listed) > 20
    assert not wrong


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("ΔH′", "triangle_divergence"),
        ("2·MI′", "triangle_transfer"),
        ("VI′", "triangle_variation"),
        ("H′(X)", "split_truth_divergence"),
        ("H′(Y|X)", "split_system_remainder"),
        ("H′(X|Y)", "split_truth_remainder"),
        ("ΔH′(X)", "split_truth_divergence"),
        ("ΔH′(Y)", "split_system_divergence"),
        ("α′", "permuted_proficiency"),
        ("α_c", "one category"),
        ("a′", "entropy_modified_accuracy"),
        ("m_S", "system_classes"),
        ("m_S|T", "system_remnant_classes"),
        ("Q₁", "double series"),
        (r"\Delta H", "uniform_divergence"),
        (r"\Delta H'_{P_X \cdot P_Y}", "triangle_divergence"),
        ("H_{T|S}", "missed_information"),
        (r"H(T \mid S)", "missed_information"),
        (r"\mu_{XY}", "transfer_factor"),
        ("I(T;S)/H(T)", "proficiency"),
        ("I(T;S) / H(T)", "proficiency"),
        (r"\frac{I(T;S)}{H(T)}", "proficiency"),
    ],
)
def test_symbols_are_known_as_the_pages_about_the_papers_and_the_pictures_write_them(symbol: str, said: str) -> None:
    assert said in explained(symbol)


@pytest.mark.parametrize(
    ("symbol", "metric"),
    [("ΔH′", "triangle_divergence"), ("2·MI′", "triangle_transfer"), ("VI'", "triangle_variation")],
)
def test_metrics_are_found_by_either_prime(symbol: str, metric: str) -> None:
    assert find(symbol).name == metric


def test_a_name_is_known_with_and_without_hyphen_and_accent() -> None:
    for name in ("Cramér-Rao", "Cramer-Rao", "Cramér Rao", "cramer rao", "Cramér–Rao", "Cramer-Rao lower bound"):
        assert "standard error to first order" in explained(name)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tree", "decision tree"),
        ("Wolpert & Wolf", "exact mean and covariance"),
        ("information coverage plot", "Kao et al. (2009)"),
        ("association matrix", "true × predicted classes"),
        ("absolute error loss", "linear_loss"),
        ("C_t,s(i,j)_IC", "information_cost"),
        ("p-value", "in Holt et al. the fraction of runs"),
        ("normalized conditional entropy", "missed_information_ratio"),
        ("joint entropy diagram", "areas that overlap"),
        ("entropy diagram", "areas that overlap"),
        ("split entropy diagram", "truth and for the output"),
        ("specialization", "because H'(S|T) falls"),
        ("2-simplex", "how unbalanced its classes are"),
        ("zones", "random at the lower right"),
        ("strong discrimination", "worthless ones alone"),
        ("Majority classifiers", "always predicts the same class"),
        ("Specialized classifiers", "because H'(S|T) falls"),
        ("split entropy triangles", "truth and for the output separately"),
    ],
)
def test_words_of_the_papers_are_explained(word: str, said: str) -> None:
    assert said in explained(word)
