"""What ``infoscope.figures`` offers; a name loads its module on first use."""

from .bounds import BoundsDisplay as BoundsDisplay
from .class_information import ClassInformationDisplay as ClassInformationDisplay
from .confusion import ConfusionDisplay as ConfusionDisplay
from .confusion_grid import ConfusionGridDisplay as ConfusionGridDisplay
from .coverage import CoverageDisplay as CoverageDisplay
from .entropy_diagram import EntropyDiagramDisplay as EntropyDiagramDisplay
from .forest import ComparisonDisplay as ComparisonDisplay
from .improvement import ImprovementDisplay as ImprovementDisplay
from .leaks import LeakDisplay as LeakDisplay
from .ledger import LedgerDisplay as LedgerDisplay
from .metric_curves import MetricCurvesDisplay as MetricCurvesDisplay
from .perplexity_chain import PerplexityDisplay as PerplexityDisplay
from .roc import RocDisplay as RocDisplay
from .score_curves import PrecisionRecallDisplay as PrecisionRecallDisplay
from .score_curves import RiskCoverageDisplay as RiskCoverageDisplay
from .split_triangle import SplitTriangleDisplay as SplitTriangleDisplay
from .stability import StabilityDisplay as StabilityDisplay
from .surface import SurfaceDisplay as SurfaceDisplay
from .sweep import SweepDisplay as SweepDisplay
from .triangle import EntropyTriangleDisplay as EntropyTriangleDisplay
