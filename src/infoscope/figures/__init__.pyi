"""What ``infoscope.figures`` offers; a name loads its module on first use."""

from .bounds import BoundsDisplay as BoundsDisplay
from .bounds import SurfaceDisplay as SurfaceDisplay
from .comparison import ComparisonDisplay as ComparisonDisplay
from .comparison import ImprovementDisplay as ImprovementDisplay
from .confusion import ConfusionDisplay as ConfusionDisplay
from .confusion import ConfusionGridDisplay as ConfusionGridDisplay
from .coverage import CoverageDisplay as CoverageDisplay
from .ledger import ClassInformationDisplay as ClassInformationDisplay
from .ledger import EntropyDiagramDisplay as EntropyDiagramDisplay
from .ledger import LeakDisplay as LeakDisplay
from .ledger import LedgerDisplay as LedgerDisplay
from .ledger import PerplexityDisplay as PerplexityDisplay
from .score_curves import ErrorRejectDisplay as ErrorRejectDisplay
from .score_curves import PrecisionRecallDisplay as PrecisionRecallDisplay
from .score_curves import RiskCoverageDisplay as RiskCoverageDisplay
from .score_curves import RocDisplay as RocDisplay
from .stability import StabilityDisplay as StabilityDisplay
from .sweep import MetricCurvesDisplay as MetricCurvesDisplay
from .sweep import SweepDisplay as SweepDisplay
from .triangle import EntropyTriangleDisplay as EntropyTriangleDisplay
from .triangle import SplitTriangleDisplay as SplitTriangleDisplay
