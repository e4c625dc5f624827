"""When a rule speaks: every threshold of the diagnosis, in one place."""

from dataclasses import dataclass

__all__ = ["THRESHOLDS", "Thresholds"]


@dataclass(frozen=True)
class Thresholds:
    """Limits of the rules; shares unless said otherwise."""

    silent_entropy: float = 0.02
    """Majority voter: output entropy at most this fraction of the truth's."""
    silent_limit: float = 0.5
    """… and its upper limit at most this fraction of it."""
    chance_proficiency: float = 0.001
    """Random, where the sample size is not known: at most this proficiency."""
    specialised_gap: float = 0.15
    """Specialised: the output's divergence from uniform exceeds the truth's by this much."""
    paradox_accuracy: float = 0.8
    """Accuracy paradox: accuracy at least this …"""
    paradox_share: float = 0.75
    """… where the most frequent class has at least this share: then much of it comes without any knowledge …"""
    paradox_proficiency: float = 0.4
    """… and the lower limit of proficiency at most this …"""
    widest: float = 0.3
    """… unless its interval is wider than this: then nothing can be said."""
    renaming_gain: float = 0.02
    """Relabelled: the best renaming gains at least this accuracy …"""
    renaming_errors: float = 2.5
    """… and this many standard errors of the samples that change sides, on held-out samples too …"""
    renaming_half_errors: float = 1.5
    """… of names chosen on half of the samples by this many …"""
    renaming_odds: float = 2.0
    """… and this many times the hits that it gives up."""
    renaming_unknown_size: float = 100.0
    """Sample size of a table that does not know its own."""
    misspelt_share: float = 0.01
    """Misspelt predictions: at least this fraction of the predictions is a true class in another spelling."""
    pair_proficiency: float = 0.25
    """Merged pair: the system recovers at most this fraction of the difference between the two classes …"""
    pair_limit: float = 0.5
    """… with high probability at most this much …"""
    pair_weight: float = 0.01
    """… which is at least this fraction of the truth's information."""
    only_errors_chance: float = 0.01
    """Only errors: no prediction is right, which chance explains with at most this probability …"""
    only_errors_renamed: float = 0.95
    """… and no other names of the outputs make this fraction of them right."""
    rejection_rate: float = 0.005
    """Abstains for free: at least this fraction of samples is rejected …"""
    rejection_cost: float = 0.01
    """… and the rejected samples keep open at most this fraction of what there was to know about them."""
    positive_share: float = 0.2
    """Predicted too rarely or too often: a positive class of at most this share …"""
    positive_count: float = 1.25
    """… is predicted this many times too often or too rarely …"""
    positive_errors: float = 3.0
    """… and by this many standard errors of the samples that are missed or false alarms."""
    detection_classes: float = 1.5
    """Detection problem: at most this many effective classes among three or more."""
    detection_limit: float = 2.0
    """… and with high probability at most this many."""
    second_stage_share: float = 0.03
    """Second stage: some predictions together leave at least this fraction of the truth's information open …"""
    second_stage_cover: float = 0.95
    """… this much of each among so few true classes …"""
    second_stage_classes: int = 3
    """… at most this many."""
    clash_margin: float = 0.01
    """Non-monotone: accuracy and proficiency each differ by at least this much, in opposite directions."""
    clash_errors: float = 1.0
    """… and by at least this many standard errors, where those are known."""
    poor_output: float = 0.05
    """Less varied output: H(S) falls short of H(T) by at least this fraction of it."""
    r_hat: float = 1.2
    """Unmixed chains: R̂ is at least this."""
    rare_among: int = 50
    """Rare classes: among at least this many classes …"""
    rare_share: float = 0.25
    """… at least this fraction has …"""
    rare_class: int = 5
    """… fewer samples than this, …"""
    rare_contrast: float = 5.0
    """… and the most frequent one this many times the average."""
    normalised_rounding: float = 0.005
    """Normalised matrix: rows, columns or the whole sum to 1, or to 100, up to this per class, or ten times this."""
    samples_per_cell: float = 5.0
    """Few samples: fewer than this many for each occupied cell; a second stage needs them to count small gains."""


THRESHOLDS = Thresholds()
