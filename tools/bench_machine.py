"""The machine of a benchmark: its CPU, and the limit on instruction sets that applies to Espalier and its peers."""

import datetime
import os
import platform
import subprocess
import sys

# Instruction sets that matter here, and Linux's names of their features, in ascending order.
SETS = {
    "AVX2": {"avx2", "fma"},
    "AVX-512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
    "AVX-512 BF16": {"avx512_bf16"},
    "AMX": {"amx_tile"},
}

# Value of DNNL_MAX_CPU_ISA: variables that limit Espalier, PyTorch and the BLAS of PyTorch to the same instructions.
LIMITS = {
    "AVX2": {"ESPALIER_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell",
             "MKL_ENABLE_INSTRUCTIONS": "AVX2"},
}


def limit(environment):
    """(name of the limit, its variables); (None, {}) without one. Exits if a variable is set to another limit."""
    name = environment.get("DNNL_MAX_CPU_ISA")
    if not name:
        if other := environment.get("ESPALIER_MAX_CPU_ISA"):
            sys.exit(f"bench: ESPALIER_MAX_CPU_ISA is {other!r}, but DNNL_MAX_CPU_ISA is not set; set the latter to limit "
                     "all programs")
        return None, {}
    if name not in LIMITS:
        sys.exit(f"bench: DNNL_MAX_CPU_ISA is {name!r}; programs can be limited to {', '.join(LIMITS)}")
    for key, value in LIMITS[name].items():
        if (given := environment.get(key, value)) != value:
            sys.exit(f"bench: {key} is {given!r}; with DNNL_MAX_CPU_ISA={name} it must be {value!r}, or not set")
    return name, {"DNNL_MAX_CPU_ISA": name, **LIMITS[name]}


def describe_cpu(cpuinfo):
    """(model, instruction sets) from the text of /proc/cpuinfo. The model includes family and model number, because
    virtual machines hide them in the name."""
    first = {}
    for line in cpuinfo.split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        first[key.strip()] = value.strip()
    name = first.get("model name") or platform.processor() or platform.machine()
    if {"cpu family", "model"} <= first.keys():
        name += f" (family {first['cpu family']}, model {first['model']})"
    features = set(first.get("flags", "").split())
    return name, [instructions for instructions, needed in SETS.items() if needed <= features]


def machine(program):
    """The first row of the output of bench_run."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model, instructions = describe_cpu(file.read())
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    row = {"machine": model, "cores": os.cpu_count(), "instructions": instructions, "version": version,
           "date": datetime.date.today().isoformat()}
    name, variables = limit(os.environ)
    return row | {"limit": name, "environment": variables} if name else row
