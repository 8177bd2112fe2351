"""Tests, effect sizes, intervals and corrections, with ties, clusters and small samples handled honestly.

Values in, values out: this layer knows numbers, not models or words. See docs/statistics.md.
"""

from tiltmeter.statistics.agreement import Agreement, agreement, cohens_kappa, fleiss_kappa
from tiltmeter.statistics.bootstrap import resampled_sums
from tiltmeter.statistics.caution import coverage_caution
from tiltmeter.statistics.correction import benjamini_hochberg, holm
from tiltmeter.statistics.correlation import Correlation, pearson, spearman
from tiltmeter.statistics.crossed import CrossedTest, crossed_contrast, crossed_correlation, crossed_t
from tiltmeter.statistics.effect_size import cohens_d, cohens_dz, standardised_difference
from tiltmeter.statistics.intervals import (
    Interval,
    count_interval,
    difference_interval,
    influence_interval,
    mean_interval,
    resampled_interval,
    statistic_interval,
)
from tiltmeter.statistics.paired import Equivalence, PairedTest, paired_t, tost, wilcoxon
from tiltmeter.statistics.permutation import BRISK, THOROUGH, Effort, PermutationTest, flip_signs, permute_groups
from tiltmeter.statistics.sample import never_zero
from tiltmeter.statistics.variance import VarianceShare, variance_share

__all__ = [
    "BRISK",
    "THOROUGH",
    "Agreement",
    "Correlation",
    "CrossedTest",
    "Effort",
    "Equivalence",
    "Interval",
    "PairedTest",
    "PermutationTest",
    "VarianceShare",
    "agreement",
    "benjamini_hochberg",
    "cohens_d",
    "cohens_dz",
    "cohens_kappa",
    "count_interval",
    "coverage_caution",
    "crossed_contrast",
    "crossed_correlation",
    "crossed_t",
    "difference_interval",
    "fleiss_kappa",
    "flip_signs",
    "holm",
    "influence_interval",
    "mean_interval",
    "never_zero",
    "paired_t",
    "pearson",
    "permute_groups",
    "resampled_interval",
    "resampled_sums",
    "spearman",
    "standardised_difference",
    "statistic_interval",
    "tost",
    "variance_share",
    "wilcoxon",
]
