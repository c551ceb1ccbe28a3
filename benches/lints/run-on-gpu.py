#!/usr/bin/env python3
"""Counts the sectors and bank conflicts of the kernels of benches/lints on a GPU, with Nsight Compute.

    benches/lints/run-on-gpu.py PROGRAM FOLDER

PROGRAM is `lint-counters` (cargo build --release -p warploom-lint-counters). FOLDER/GPU.tsv has the hardware's counters, for benches/results/lints/;
FOLDER/GPU-patched.tsv the same with passes and conflicts as Nsight Compute attributes them to instructions. What it printed is counters.csv and patched.csv beside
them. Nsight Compute is `ncu`, or what the variable NCU names. Needs Python 3 and nothing else.
"""

import csv
import datetime
import os
import re
import subprocess
import sys

# The columns of the table, and what the hardware calls them. Conflicts are what its own counter says, not passes without the least of them.
COUNTERS = {
    "global_load_instructions": "smsp__inst_executed_op_global_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_instructions": "smsp__inst_executed_op_global_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}

# Wavefronts that Nsight Compute attributes to the instructions, by code that it adds to the kernel: without what other traffic adds to the hardware's counters.
PATCHED = {
    **COUNTERS,
    "shared_load_passes": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_conflicts": "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_passes": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}

NCU = os.environ.get("NCU", "ncu")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1:]
    program = os.path.abspath(program)
    os.makedirs(folder, exist_ok=True)
    names = cases(program)
    gpu, driver = smi("name"), smi("driver_version")
    head = f"{gpu}, driver {driver}, Nsight Compute {version()}, {datetime.date.today().isoformat()}"
    stem = os.path.join(folder, re.sub("[^a-z0-9]+", "-", gpu.lower()).strip("-"))
    table = counted_under_any_name(program, os.path.join(folder, "counters.csv"), COUNTERS)
    write(stem + ".tsv", head, names, table)
    try:
        patched = counted_under_any_name(program, os.path.join(folder, "patched.csv"), PATCHED)
    except ProfilerError as error:
        print(f"no counts by instruction: {error}")
        return
    write(stem + "-patched.tsv", head + ", shared memory by instruction", names, patched)
    for name in names:
        for column in COUNTERS:
            if table[name][column] != patched[name][column]:
                print(f"{name}: {column}: {table[name][column]}, by instruction {patched[name][column]}")


def write(file, head, names, table):
    missing = [name for name in names if name not in table]
    if missing or len(table) != len(names):
        sys.exit(f"{len(names)} kernels are launched, Nsight Compute counted {len(table)}; not {missing}")
    with open(file, "w", encoding="utf-8") as out:
        out.write(f"# {head}\n# kernel\t" + "\t".join(COUNTERS) + "\n")
        for name in names:
            out.write("\t".join([name, *(str(table[name][column]) for column in COUNTERS)]) + "\n")
    print(f"{file}: {len(names)} kernels")


class ProfilerError(Exception):
    """Nsight Compute failed, or printed something else than a table."""


def on_gpu():
    return {**os.environ, "WARPLOOM_DEVICE": "cuda", "LC_ALL": "C"}


def cases(program):
    """The kernels' names, as the program says after it compared their results; without the profiler."""
    done = subprocess.run([program], env=on_gpu(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} failed: status {done.returncode}")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return [line[1] for line in lines if line[0] == "case"]


def counted_under_any_name(program, log, counters):
    """What `counted` gives, also where a newer version of Nsight Compute counts instructions under another name."""
    newer = {column: metric.replace("smsp__inst_", "smsp__sass_inst_") for column, metric in counters.items()}
    try:
        return counted(program, log, counters)
    except ProfilerError as error:
        print(f"once more with smsp__sass_inst_executed: {error}")
        return counted(program, log, newer)


def counted(program, log, counters):
    """Counts by kernel and column; each kernel is launched once."""
    if os.path.exists(log):
        os.remove(log)
    command = [NCU, "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    command += ["--metrics", ",".join(counters.values()), "--log-file", log, program]
    done = subprocess.run(command, env=on_gpu(), stdout=subprocess.PIPE, text=True, check=False)
    text = ""
    if os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            text = file.read()
    at = text.find('"ID"')
    if done.returncode != 0 or at < 0:
        raise ProfilerError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}{text[-2000:]}")
    rows = list(csv.reader(text[at:].splitlines()))
    head, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0]) and row[0].isdigit()]
    table = {}
    for row in rows:
        fields = dict(zip(head, row))
        name = re.split(r"[<(]", fields["Kernel Name"])[0]
        if name in table:
            raise ProfilerError(f"{name} was launched twice")
        table[name] = {column: whole(fields, metric) for column, metric in counters.items()}
    return table


def whole(fields, metric):
    number = fields.get(metric, "").replace(",", "")
    if re.fullmatch(r"\d+(\.0*)?", number) is None:
        raise ProfilerError(f"{metric} of {fields['Kernel Name']} is `{number}`")
    return int(number.split(".")[0])


def smi(what):
    command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader", "-i", "0"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def version():
    text = subprocess.run([NCU, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"Version ([0-9.]+)", text)
    return found.group(1) if found else "of an unknown version"


if __name__ == "__main__":
    try:
        main()
    except ProfilerError as error:
        sys.exit(str(error))
