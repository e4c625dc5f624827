"""Decisions and outcomes: what information has to do with behaviour and objectives in a game of red and blue.

Red plans, a scout reports the plan rightly in three of four rounds, the radio is noise, and blue moves; when the staff
is present it listens to the scout, else often to the radio. Blue tends to win where its move meets red's plan.

Run it after ``make demo``: .venv/bin/python examples/red_blue_game.py
"""

from __future__ import annotations

import random

import infoscope as ifs

COLUMNS = ("plan", "scout", "radio", "staff", "move", "win")


def play(rounds: int = 4000, seed: int = 1) -> dict[str, list[int]]:
    """Rounds of the game, one value per round and column."""
    rng = random.Random(seed)
    log: dict[str, list[int]] = {name: [] for name in COLUMNS}
    for _ in range(rounds):
        plan, radio, staff = rng.randrange(3), rng.randrange(3), rng.randrange(2)
        scout = plan if rng.random() < 0.75 else rng.randrange(3)
        move = scout if staff and rng.random() < 0.9 else radio if rng.random() < 0.5 else rng.randrange(3)
        win = int(rng.random() < (0.75 if move == plan else 0.35))
        for name, value in zip(COLUMNS, (plan, scout, radio, staff, move, win), strict=True):
            log[name].append(value)
    return log


def main() -> None:
    """Print what each column has to do with the move, and with winning."""
    log = play()
    move = ifs.relate(log, [name for name in COLUMNS if name != "win"], target="move", given="staff")
    print(move.to_text())
    win = ifs.relate(log, target="win", given="move")
    print(win.to_text())
    for name in ("scout", "radio"):
        alone, given = (win.pair(name, "win", given=others).information.value for others in (False, True))
        print(f"{name}: {alone:.4f} bits about winning alone, {given:.4f} given the move")
    print("What the scout reports pays only through the move; the radio moves blue and pays next to nothing.")


if __name__ == "__main__":
    main()
