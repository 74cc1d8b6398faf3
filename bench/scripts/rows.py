#!/usr/bin/env python3
"""Makes bench/rows from a folder of measured runs: one CSV a source, columns that are blank in all of its rows left out.

usage: rows.py FOLDER          (../shared/groundtruth in this project's workplace)

Left out besides: flops_convention (prose on a column that is not used), and the notes of composed rows, which all say the same.
"""
import csv
import io
import pathlib
import sys

LEFT_OUT = {"flops_convention"}


def main(folder):
    target = pathlib.Path(__file__).resolve().parent.parent / "rows"
    for file in sorted(pathlib.Path(folder).glob("*.csv")):
        with open(file, newline="", encoding="utf-8-sig") as opened:
            rows = list(csv.DictReader(opened))
        dropped = set(LEFT_OUT)
        if all(row["provenance"] == "composed" for row in rows):
            dropped.add("notes")
        columns = [c for c in rows[0] if c not in dropped and any(row[c] for row in rows)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[c] for c in columns] for row in rows)
        (target / file.name).write_text(text.getvalue(), encoding="utf-8")
        print(f"{file.name}: {len(rows)} rows, {len(columns)} columns")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
