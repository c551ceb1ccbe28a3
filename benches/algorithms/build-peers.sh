#!/bin/sh
# Compiles the peers from CUB and Thrust to a shared library.
#
#   benches/algorithms/build-peers.sh [FOLDER]     libpeers.so and peers.txt go to FOLDER (default: target/algorithms)
#
# NVCC is the path of nvcc 12.8 or later (default: the nvcc of CUDA_HOME, else of PATH), CCCL a folder of headers that come before the toolkit's own (default: none).
# ARCH is the GPU's architecture (default: sm_90). Only what changed is compiled again.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
out="${1:-$here/../../target/algorithms}"
mkdir -p "$out/objects"
out="$(cd "$out" && pwd)"
nvcc="${NVCC:-${CUDA_HOME:+$CUDA_HOME/bin/}nvcc}"
arch="${ARCH:-sm_90}"
command -v "$nvcc" >/dev/null 2>&1 || { echo "build-peers.sh: no nvcc (set NVCC to its path, or CUDA_HOME to the toolkit)" >&2; exit 1; }

version="$("$nvcc" --version | sed -n 's/^.*release .*, V\([0-9.]*\).*$/\1/p')"
printf '#include <cub/version.cuh>\nCUB_VERSION\n' >"$out/objects/version.cu"
cub="$("$nvcc" ${CCCL:+-I "$CCCL"} -E -x cu "$out/objects/version.cu" | tail -n 1)"
described="CUB $((cub / 100000)).$((cub / 100 % 1000)).$((cub % 100)), nvcc $version -O3 -arch=$arch"
if [ "$(cat "$out/objects/made-by.txt" 2>/dev/null || true)" != "$described" ]; then
    rm -f "$out/objects/"*.o
    echo "$described" >"$out/objects/made-by.txt"
fi

for source in "$here"/cuda/*.cu; do
    object="$out/objects/$(basename "$source" .cu).o"
    if [ "$object" -nt "$source" ] && [ "$object" -nt "$here/cuda/peers.cuh" ]; then
        continue
    fi
    echo "$(basename "$source")" >&2
    "$nvcc" -O3 -std=c++17 -arch="$arch" ${CCCL:+-I "$CCCL"} -Xcompiler -fPIC,-fvisibility=hidden -c -o "$object.new" "$source"
    mv "$object.new" "$object"
done
# `-L`: NVIDIA's Python packages have the libraries in `lib`, where nvcc does not search. `--exclude-libs`: the functions of the runtime in it are its own, also beside
# another runtime.
"$nvcc" -L "$(dirname "$(command -v "$nvcc")")/../lib" -shared -cudart static -arch="$arch" -Xlinker --exclude-libs,ALL -o "$out/libpeers.so" "$out"/objects/*.o
strip "$out/libpeers.so"
cp "$out/objects/made-by.txt" "$out/peers.txt"
cat "$out/peers.txt"
