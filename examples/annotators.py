"""Four annotators of the same photographs, one of whom mixes up two animals; no truth is needed.

Run: python examples/annotators.py
"""

import numpy as np

import infoscope as ifs

ANIMALS = ["dog", "fox", "owl", "wolf"]


def main() -> None:
    rng = np.random.default_rng(3)
    photographs = rng.choice(ANIMALS, size=250)
    answers = {
        name: [animal if rng.random() < 0.9 else str(rng.choice(ANIMALS)) for animal in photographs]
        for name in ("ann", "bob", "eve")
    }
    other = {"dog": "wolf", "wolf": "dog"}
    answers["joe"] = [other.get(animal, str(animal)) if rng.random() < 0.6 else str(animal) for animal in photographs]
    print(ifs.agreement(answers).to_text(width=100))


if __name__ == "__main__":
    main()
