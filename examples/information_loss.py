"""Training by information: where it beats cross-entropy, and where it does not.

Run with PyTorch (infoscope[torch]): python examples/information_loss.py [SEEDS]

A small network learns classes of Gaussian clouds in three ways: by cross-entropy, by information alone, and by
cross-entropy first and information afterwards, so that the outputs keep their names. Each number is the mean over
seeds on 10,000 held-out samples, each seed with data and a network of its own.
"""

import sys

import numpy as np

import infoscope as ifs

try:
    import torch
    from infoscope.torch import InformationLoss
    from torch import nn
except ImportError:
    raise SystemExit("this example needs PyTorch: pip install 'infoscope[torch]'") from None

WORLDS = {
    "five classes, equally frequent": ([0.2] * 5, 0.7),
    "four classes, 90% / 5% / 3% / 2%": ([0.9, 0.05, 0.03, 0.02], 0.9),
    "two classes, 97% / 3%": ([0.97, 0.03], 0.9),
}
WAYS = ("cross-entropy", "information", "both in turn")
BATCH, EPOCHS = 250, 60


def clouds(rows: int, shares: list[float], centres: torch.Tensor, random: torch.Generator) -> tuple:
    truth = torch.multinomial(torch.tensor(shares), rows, replacement=True, generator=random)
    return centres[truth] + torch.randn(rows, centres.shape[1], generator=random), truth


def trained(features: torch.Tensor, truth: torch.Tensor, classes: int, way: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(features.shape[1], 32), nn.ReLU(), nn.Linear(32, classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    entropy, information = nn.CrossEntropyLoss(), InformationLoss()
    for epoch in range(EPOCHS):
        by_information = way == "information" or (way == "both in turn" and epoch >= EPOCHS // 2)
        for rows in torch.randperm(len(truth)).split(BATCH):
            loss = (information if by_information else entropy)(model(features[rows]), truth[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


def tried(shares: list[float], distance: float, seed: int) -> dict[str, list[float]]:
    random = torch.Generator().manual_seed(seed)
    centres = distance * torch.randn(len(shares), 8, generator=random)
    features, truth = clouds(2000, shares, centres, random)
    held_out, expected = clouds(10_000, shares, centres, random)
    numbers = {}
    for way in WAYS:
        model = trained(features, truth, len(shares), way, seed)
        with torch.no_grad():
            scores = model(held_out)
        table = ifs.Contingency.from_labels(expected, scores.argmax(1), labels=range(len(shares)))
        metrics = (ifs.metrics.proficiency, ifs.metrics.accuracy, ifs.metrics.balanced_accuracy)
        numbers[way] = [float(metric(table)) for metric in metrics]
        numbers[way].append(float(nn.functional.cross_entropy(scores, expected)))
    return numbers


def main(seeds: int) -> None:
    torch.set_num_threads(1)
    for name, (shares, distance) in WORLDS.items():
        runs = [tried(shares, distance, 1000 + seed) for seed in range(seeds)]
        print(f"{name}: means over {seeds} seeds\n{'':16}proficiency  accuracy  balanced accuracy  log loss")
        for way in WAYS:
            known, right, balanced, loss = np.mean([run[way] for run in runs], axis=0)
            print(f"{way:16}{known:11.3f}{right:10.3f}{balanced:19.3f}{loss:10.3f}")
        gains = [run["both in turn"][0] - run["cross-entropy"][0] for run in runs]
        better = sum(gain > 0 for gain in gains)
        print(f"proficiency, both in turn less cross-entropy: {np.mean(gains):+.3f}, better in {better} of {seeds}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
