#!/usr/bin/env python3
"""Times PyTorch's scaled_dot_product_attention at the sizes of the program `attention`, and writes the same lines.

sdpa.py [--runs N] [--backend flash|cudnn]
"""
import argparse
import statistics

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
HEADS, DIMENSION = 16, 128


def time_ms(work, runs, ahead):
    times = []
    for _ in range(runs + 3):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        ahead.zero_()
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return times[3:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--backend", choices=BACKENDS, default="flash")
    options = parser.parse_args()
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {options.backend}")
    ahead = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    for batches, tokens in [(2, 8192), (1, 16384)]:
        q, k, v = (torch.randn(batches, HEADS, tokens, DIMENSION, dtype=torch.bfloat16, device="cuda") for _ in range(3))
        for causal in [False, True]:
            name = f"{tokens} causal" if causal else f"{tokens}"
            try:
                with sdpa_kernel(BACKENDS[options.backend]):
                    work = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                    times = time_ms(work, options.runs, ahead)
            except RuntimeError as error:
                print(f"{name}\t{options.backend}: {error}".splitlines()[0])
                continue
            operations = (0.5 if causal else 1.0) * 4 * batches * HEADS * DIMENSION * tokens**2
            median, fastest = statistics.median(times), min(times)
            rates = [f"{operations / ms / 1e9:.1f} TFLOP/s" for ms in (median, fastest)]
            print(f"{name}\tPyTorch {options.backend}\t{median:.4f} ms\t{fastest:.4f} ms\t{rates[0]}\t{rates[1]}")


if __name__ == "__main__":
    main()
