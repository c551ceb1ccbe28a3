#!/usr/bin/env bash
# Builds crates with kernels with each toolchain of matrix.tsv, assembles their PTX, runs their tests on the emulator, and packs the test programs for
# one run on a GPU.
#
#   testing/toolchains/run.sh                     all toolchains of matrix.tsv
#   testing/toolchains/run.sh rustup-1.95 …       these only
#   testing/toolchains/run.sh --quick NAME…       of these only steps 1, 2 (saxpy alone, in debug mode) and 4; fails if one of them does not work
#   testing/toolchains/run.sh --bundle FOLDER     packs the programs of all toolchains that were built, with run-on-gpu.sh
#
# For each toolchain:
#   1. it is brought here: by rustup, or as a tree of Debian packages (apt-get resolves and downloads them, nothing is installed on this machine)
#      which programs enter by chroot in a mount namespace of their own
#   2. tests/outside/saxpy and tests/outside/kernels-user are built as users build them, and run on the emulator; the build of saxpy runs the
#      self-test of the device pass
#   3. tests/language and tests/five_kernels.rs are built in release mode (suite/), and run on the emulator
#   4. ptxas assembles the PTX of all kernels of these for sm_75, sm_80, sm_90 and sm_100
#   5. its line in benches/results/toolchains.tsv is replaced
# docs/generated/toolchains.md is made of that file and of benches/results/toolchains-gpu.tsv by
# `WARPLOOM_BLESS=1 cargo test -p warploom-harness --test toolchains_doc`.
#
# Needs rustup, a C linker, ptxas (WARPLOOM_PTXAS, or in the PATH), python3; for Debian's toolchains apt-get, dpkg-deb and unshare (of root, or of a user
# who may make user namespaces), and the keys of Debian's archive. About 1.5 GB for each tree and 0.5 GB for each toolchain.
#
# DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR   where packages come from: http://deb.debian.org/debian, http://deb.debian.org/debian-security
# DEBIAN_KEYRING                          /usr/share/keyrings/debian-archive-keyring.gpg
# TOOLCHAINS_PLACE                        where everything is kept: target/toolchains
set -euo pipefail
readonly HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly REPOSITORY="$(cd "$HERE/../.." && pwd)"
readonly PLACE="${TOOLCHAINS_PLACE:-$REPOSITORY/target/toolchains}"
readonly RESULTS="$REPOSITORY/benches/results/toolchains.tsv"
readonly ARCHS=(75 80 90 100)
readonly MIRROR="${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
readonly SECURITY="${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}"
readonly KEYRING="${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}"
export PTXAS="${WARPLOOM_PTXAS:-ptxas}"
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
# No setting of a developer may change the result.
unset RUSTFLAGS RUSTC RUSTUP_TOOLCHAIN WARPLOOM_DEVICE_CODE WARPLOOM_LLVM WARPLOOM_PASSES WARPLOOM_EMULATE CARGO_TARGET_DIR

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'testing/toolchains/run.sh: %s\n' "$*" >&2; exit 1; }

# --- bringing toolchains here ---------------------------------------------------------------------------------------------------------------------------

# bring_rustup VERSION: prints the folder of its programs.
bring_rustup() {
    rustup run "$1" rustc --version >/dev/null 2>&1 || rustup toolchain install "$1" --profile minimal --no-self-update >&2
    dirname "$(rustup which --toolchain "$1" rustc)"
}

# Lines of a sources.list, and the packages of a system.
sources_of() {
    local line="deb [signed-by=$KEYRING check-valid-until=no]"
    case "$1" in
        bookworm) printf '%s\n' "$line $MIRROR bookworm main" "$line $SECURITY bookworm-security main" ;;
        experimental) printf '%s\n' "$line $MIRROR sid main" "$line $MIRROR experimental main" ;;
        *) die "no system \`$1\`" ;;
    esac
}
# Of which release packages are taken: experimental is asked for by name only.
release_of() { case "$1" in experimental) echo "-t experimental" ;; esac; }
packages_of() {
    echo base-files bash coreutils mawk gcc libc6-dev
    case "$1" in
        bookworm) echo rustc-web cargo-web libstd-rust-web-dev ;;
        experimental) echo rustc cargo libllvm23 ;;
    esac
}

# bring_tree SYSTEM: unpacks a system's packages, without running anything of them, and prints the folder.
bring_tree() {
    local tree="$PLACE/trees/$1" apt="$PLACE/trees/$1.apt"
    if [ ! -e "$tree/packages.tsv" ]; then
        command -v apt-get >/dev/null || die "apt-get is missing: Debian's toolchains come from its packages"
        [ -r "$KEYRING" ] || die "$KEYRING is missing (package debian-archive-keyring); DEBIAN_KEYRING names another file"
        rm -rf "$tree" "$apt"
        mkdir -p "$tree"/usr/{bin,sbin,lib,lib64} "$tree"/{proc,dev,tmp,root,etc} "$apt"/{lists,cache/archives}/partial
        local name
        for name in bin sbin lib lib64; do ln -s "usr/$name" "$tree/$name"; done
        sources_of "$1" >"$apt/sources.list"
        : >"$apt/status"
        printf '%s;\n' "Dir::State::lists \"$apt/lists\"" "Dir::State::status \"$apt/status\"" "Dir::Cache \"$apt/cache\"" \
            "Dir::Etc::sourcelist \"$apt/sources.list\"" 'Dir::Etc::sourceparts "/dev/null"' 'APT::Architecture "amd64"' \
            'APT::Install-Recommends "false"' "APT::Sandbox::User \"$(id -un)\"" 'Debug::NoLocking "true"' >"$apt/apt.conf"
        say "$1: downloading packages"
        # shellcheck disable=SC2046 # a list of names
        APT_CONFIG="$apt/apt.conf" apt-get -qq update >&2 &&
            APT_CONFIG="$apt/apt.conf" apt-get -qq -y --download-only $(release_of "$1") install $(packages_of "$1") >&2 ||
            die "cannot download the packages of $1 from $MIRROR"
        local package
        for package in "$apt"/cache/archives/*.deb; do
            dpkg-deb --fsys-tarfile "$package" | tar -x --no-same-owner --keep-directory-symlink -C "$tree"
        done
        # What the packages' scripts would do.
        [ -e "$tree/usr/bin/cc" ] || ln -s gcc "$tree/usr/bin/cc"
        [ -e "$tree/usr/bin/sh" ] || ln -s bash "$tree/usr/bin/sh"
        [ -e "$tree/usr/bin/awk" ] || ln -s mawk "$tree/usr/bin/awk"
        for package in "$apt"/cache/archives/*.deb; do
            dpkg-deb --show --showformat '${Package}\t${Version}\n' "$package"
        done >"$tree/packages.tsv"
        rm -rf "$apt"
    fi
    echo "$tree"
}

# within TREE COMMAND...: runs a command here (no tree), or in a tree that has the folders which builds need.
within() {
    local tree="$1" namespace=(--mount)
    shift
    if [ -z "$tree" ]; then
        "$@"
        return
    fi
    [ "$(id -u)" = 0 ] || namespace+=(--user --map-root-user)
    # shellcheck disable=SC2016 # expanded by the shell in the namespace, where mounts end with it
    unshare "${namespace[@]}" /bin/sh -c '
        set -e
        tree=$1 place=$2
        shift 2
        for folder in "$REPOSITORY_SEEN" "$place" "$CARGO_HOME" "$RUSTUP_HOME" /dev /proc; do
            mkdir -p "$tree$folder"
            mount --rbind "$folder" "$tree$folder"
        done
        here=$PWD
        exec chroot "$tree" /bin/sh -c "cd \"\$0\" && exec \"\$@\"" "$here" "$@"' sh "$tree" "$PLACE" "$@"
}
export REPOSITORY_SEEN="$REPOSITORY"

# --- what is done with one toolchain --------------------------------------------------------------------------------------------------------------------

# copy_package FROM TO: a package outside of the workspace, with this repository's crates in place of published ones.
copy_package() {
    rm -rf "$2"
    mkdir -p "$2/.cargo"
    cp -r "$1/." "$2/"
    cp "$REPOSITORY/Cargo.lock" "$2/"
    grep -q '^\[workspace\]' "$2/Cargo.toml" || printf '\n[workspace]\n' >>"$2/Cargo.toml"
    {
        echo "[patch.crates-io]"
        local pair
        for pair in warploom=. warploom-build=kernel-build warploom-device-std=device-std warploom-emulator=emulator warploom-macros=kernel-macros \
            warploom-manifest=manifest warploom-runtime=runtime warploom-harness=testing/harness; do
            printf '%s = { path = "%s" }\n' "${pair%%=*}" "$REPOSITORY/${pair#*=}"
        done
    } >"$2/.cargo/config.toml"
}

# count LOG: `passed failed` of all results in the log of a test program.
count() { awk '/^test result: / { ok += $4; bad += $6 } END { print ok + 0, bad + 0 }' "$1"; }

# assemble: keeps the PTX of all crates in ptx/, a file for each image, and sets, for each architecture, `accepted/all` of those for it or an older one.
assemble() {
    local ptx="$OWN/ptx" file arch for_arch all accepted
    rm -rf "$ptx"
    mkdir -p "$ptx"
    # The device linker writes all images of a crate for one architecture to one file.
    while IFS= read -r file; do
        awk -v stem="$ptx/$(basename "$file" .ptx)" '/^\.version/ { n++ } n { print >(stem "-" n ".ptx") }' "$file"
    done < <(find "$TARGET" -name '*.ptx' | sort)
    ASSEMBLED=()
    for arch in "${ARCHS[@]}"; do
        : >"$OWN/images"
        for file in "$ptx"/*.ptx; do
            for_arch="$(sed -n 's/^\.target sm_//p;/^\.target/q' "$file")"
            # PTX for exactly one architecture (90a) is assembled for no other.
            case "$for_arch" in *[!0-9]*) continue ;; esac
            [ "$for_arch" -gt "$arch" ] || echo "$file" >>"$OWN/images"
        done
        all="$(wc -l <"$OWN/images")"
        accepted="$(xargs -d '\n' -P "$(nproc)" -I{} \
            sh -c '"$PTXAS" -O1 -arch "sm_$1" -o /dev/null "$2" 2>>"$3" && echo accepted' sh "$arch" {} "$OWN/ptxas-$arch.log" <"$OWN/images" | wc -l || true)"
        ASSEMBLED+=("$accepted/$all")
    done
}

# outside NAME LINE: builds and runs an outside crate; whether the program printed this line.
outside() {
    local folder="$OWN/crates/$1" log="$OWN/$1.log"
    copy_package "$REPOSITORY/tests/outside/$1" "$folder"
    if (cd "$folder" && within "$TREE" env "${SETTINGS[@]}" WARPLOOM_SELF_TEST=1 cargo build --profile "$PROFILE") >"$log" 2>&1 &&
        (cd "$folder" && within "$TREE" env WARPLOOM_DEVICE=emulator "$TARGET/${PROFILE/dev/debug}/$1") >>"$log" 2>&1 &&
        grep -q "$2" "$log"; then echo yes; else echo no; fi
}

# suite: builds and runs the language suite; the programs are kept.
suite() {
    local folder="$OWN/crates/suite" programs="$OWN/programs" name
    copy_package "$HERE/suite" "$folder"
    mkdir -p "$folder/tests" "$programs"
    cp -r "$REPOSITORY/tests/language" "$REPOSITORY/tests/five_kernels.rs" "$folder/tests/"
    (cd "$folder" && within "$TREE" env "${SETTINGS[@]}" cargo test --release --no-run --tests --message-format=json-render-diagnostics) \
        >"$OWN/suite.json" 2>"$OWN/suite.log" || return 0
    python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and "test" in message["target"]["kind"]:
        print(message["executable"], message["target"]["name"], sep="\t")
' <"$OWN/suite.json" >"$OWN/programs.tsv"
    while IFS=$'\t' read -r program name; do
        cp "$program" "$programs/$name"
        (cd "$folder" && within "$TREE" env WARPLOOM_DEVICE=emulator "$programs/$name") >"$OWN/$name.log" 2>&1 || true
    done <"$OWN/programs.tsv"
}

# prepare NAME SYSTEM RUSTC LLVM: brings the toolchain, and sets OWN (its folder), TREE, TARGET (cargo's folder), SETTINGS (the environment of builds) and
# VERSION (what rustc says).
prepare() {
    local name="$1" system="$2" rust="$3" llvm="$4" path="$PATH"
    OWN="$PLACE/$name" TREE=""
    # Toolchains that differ in LLVM only compile the same crates for the host.
    TARGET="$PLACE/build/$system-${rust// /-}"
    rm -rf "$OWN"/{crates,programs,ptx} "$OWN"/*.log
    mkdir -p "$OWN/crates" "$TARGET"
    find "$TARGET" -name '*.ptx' -delete
    say "$name"
    if [ "$system" != host ]; then
        TREE="$(bring_tree "$system")"
        path="/usr/bin"
    fi
    case "$rust" in rustup\ *) path="$(bring_rustup "${rust#rustup }"):$path" ;; esac
    SETTINGS=(PATH="$path" HOME="$PLACE" CARGO_TARGET_DIR="$TARGET" CARGO_NET_OFFLINE=true CARGO_INCREMENTAL=0 CARGO_TERM_COLOR=never
        CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_DEV_DEBUG=0 CARGO_BUILD_JOBS="${CARGO_BUILD_JOBS:-$(nproc)}"
        WARPLOOM_DUMP=1 WARPLOOM_REQUIRE_DEVICE_CODE=1)
    if [ "$llvm" != own ]; then
        SETTINGS+=(WARPLOOM_LLVM="/usr/lib/x86_64-linux-gnu/libLLVM.so.$llvm.1")
    fi
    VERSION="$(within "$TREE" env "${SETTINGS[@]}" rustc -vV)"
}

# try_quickly NAME SYSTEM RUSTC LLVM: the outside crate that the README shows.
try_quickly() {
    local PROFILE=dev accepted
    prepare "$@"
    sed -n 's/^release: /rustc /p;s/^LLVM version: /its LLVM /p' <<<"$VERSION"
    if [ "$(outside saxpy 'all equal: true')" != yes ]; then
        tail -n 40 "$OWN/saxpy.log"
        die "saxpy does not build and run with $1; its log is $OWN/saxpy.log"
    fi
    if grep -q 'no GPU code is built' "$OWN/saxpy.log"; then
        grep -A12 'no GPU code is built' "$OWN/saxpy.log"
        die "there is no PTX with $1"
    fi
    assemble
    echo "saxpy runs; ptxas accepts its PTX for sm_${ARCHS[*]}: ${ASSEMBLED[*]}"
    for accepted in "${ASSEMBLED[@]}"; do
        [ "$accepted" != 0/0 ] && [ "${accepted%/*}" = "${accepted#*/}" ] || die "ptxas refuses PTX of $1: ptxas-*.log in $OWN"
    done
}

# try NAME SYSTEM RUSTC LLVM: everything, and the line of the results.
try() {
    local name="$1" system="$2" llvm="$4" PROFILE=release rows
    prepare "$@"
    local release llvm_version
    release="$(sed -n 's/^release: //p' <<<"$VERSION")"
    llvm_version="$(sed -n 's/^LLVM version: //p' <<<"$VERSION")"
    [ "$llvm" = own ] || llvm_version="$(awk -v p="libllvm$llvm" '$1 == p { sub(/^[0-9]+:/, "", $2); sub(/-.*/, "", $2); print $2 }' "$TREE/packages.tsv")"
    local saxpy user
    saxpy="$(outside saxpy 'all equal: true')"
    copy_package "$REPOSITORY/tests/outside/kernels-lib" "$OWN/crates/kernels-lib"
    sed -i '/^\[workspace\]$/d' "$OWN/crates/kernels-lib/Cargo.toml"
    user="$(outside kernels-user 'right: true')"
    rows="$(awk '/self-test: .*: passed$/ { ok++ } /self-test: .*: (passed$|failed: )/ { all++ } END { print ok + 0 "/" all + 0 }' "$OWN/saxpy.log")"
    suite
    assemble
    local language five
    language="$( [ -e "$OWN/language.log" ] && count "$OWN/language.log" || echo "0 0")"
    five="$( [ -e "$OWN/five_kernels.log" ] && count "$OWN/five_kernels.log" || echo "0 0")"
    mkdir -p "$(dirname "$RESULTS")"
    [ -e "$RESULTS" ] || printf '# %s\n' "Written by testing/toolchains/run.sh. Columns, separated by tabs:" \
        "name, system, release of rustc, version of LLVM, date, saxpy builds and runs, kernels-user does, rows of the self-test that passed," \
        "PTX files that ptxas accepts for sm_75, sm_80, sm_90, sm_100, tests of language and of five_kernels on the emulator: passed, failed" >"$RESULTS"
    { grep -v "^$name	" "$RESULTS" || true; } >"$RESULTS.new"
    (IFS=$'\t'; printf '%s\n' "$name"$'\t'"$system"$'\t'"$release"$'\t'"$llvm_version"$'\t'"$(date -u +%Y-%m-%d)"$'\t'"$saxpy"$'\t'"$user"$'\t'"$rows"$'\t'"${ASSEMBLED[*]}"$'\t'"${language/ /$'\t'}"$'\t'"${five/ /$'\t'}") >>"$RESULTS.new"
    mv "$RESULTS.new" "$RESULTS"
    tail -n 1 "$RESULTS"
}

# --- the bundle -----------------------------------------------------------------------------------------------------------------------------------------

# bundle FOLDER: programs of each toolchain; with those that were built in a tree, its C library, which may be newer than that of the GPU's machine.
bundle() {
    local name system rest program tree
    mkdir -p "$1"
    cp "$HERE/run-on-gpu.sh" "$1/run.sh"
    while IFS=$'\t' read -r name system rest; do
        [ -d "$PLACE/$name/programs" ] || { say "$name was not built: it is left out"; continue; }
        mkdir -p "$1/$name"
        for program in "$PLACE/$name/programs"/*; do cp "$program" "$1/$name/"; done
        [ "$system" != host ] || continue
        tree="$PLACE/trees/$system"
        mkdir -p "$1/libraries/$system"
        cp -L "$tree"/usr/lib/x86_64-linux-gnu/{libc.so.6,libm.so.6,libgcc_s.so.1,libdl.so.2,libpthread.so.0,librt.so.1} "$tree/lib64/ld-linux-x86-64.so.2" \
            "$1/libraries/$system/"
        echo "$system" >"$1/$name/system"
    done < <(grep -v '^#' "$HERE/matrix.tsv")
    tar -C "$(dirname "$1")" -c "$(basename "$1")" | xz -T1 --lzma2=preset=6,dict=192MiB >"$1.tar.xz"
    ls -l "$1.tar.xz" >&2
}

main() {
    if [ "${1:-}" = --bundle ]; then
        [ $# = 2 ] || die "--bundle takes a folder"
        bundle "$2"
        return
    fi
    local attempt=try
    if [ "${1:-}" = --quick ]; then
        attempt=try_quickly
        shift
        [ $# -gt 0 ] || die "--quick takes names of toolchains"
    fi
    "$PTXAS" --version >/dev/null 2>&1 || die "no ptxas: set WARPLOOM_PTXAS, or put it into PATH"
    local wanted=" $* " name system rust llvm
    for name in "$@"; do
        grep -q "^$name	" "$HERE/matrix.tsv" || die "no toolchain \`$name\` in matrix.tsv"
    done
    # Builds are offline, so that they download nothing more than the lock file has.
    (cd "$REPOSITORY" && cargo fetch --locked --quiet)
    while IFS=$'\t' read -r name system rust llvm _; do
        [ $# = 0 ] || [[ $wanted == *" $name "* ]] || continue
        "$attempt" "$name" "$system" "$rust" "$llvm" </dev/null
    done < <(grep -v '^#' "$HERE/matrix.tsv")
}

main "$@"
