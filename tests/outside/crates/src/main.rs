//! A kernel per crate: each computes with the crate in 64 threads, and the host repeats it.
//!
//! Prints a line per crate, `name ok` or what differs, and a total.

mod algorithms;
mod case;
mod data_structures;
mod encoding;
mod hash;
mod mathematics;
mod random;

use case::{Case, Numbers, THREADS, number};
use std::process::ExitCode;
use warploom::device::ContextLimit;
use warploom::prelude::*;

/// One list of the modules of all cases.
macro_rules! cases {
    ($($file:ident: $($module:ident)*;)*) => {
        const CASES: &[Case] = &[$($($file::$module::CASE,)*)*];
    };
}

cases! {
    data_structures: arrayvec bit_set bitflags bitvec bytes either fixedbitset generic_array hashbrown heapless indexmap petgraph slab slotmap
        smallvec tinyvec;
    mathematics: approx cgmath crypto_bigint euclid fixed glam half libm matrixmultiply micromath nalgebra num_bigint num_complex num_integer
        num_rational num_traits ordered_float rust_decimal typenum wide;
    encoding: base16ct base64 base64ct bs58 bytemuck byteorder data_encoding hex itoa lexical_core minicbor percent_encoding postcard ryu serde
        unsigned_varint zerocopy;
    algorithms: adler2 aho_corasick crc crc32fast itertools memchr simd_adler32 strsim;
    random: fastrand oorandom rand rand_chacha rand_core rand_distr rand_pcg rand_xorshift rand_xoshiro;
    hash: aes ahash blake2 blake3 chacha20 fnv foldhash hmac md_5 poly1305 rustc_hash seahash sha1 sha2 sha3 siphasher subtle twox_hash
        xxhash_rust;
}

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let name = match Device::open() {
        Ok(device) => device.name().to_string(),
        Err(error) => {
            println!("no device: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (mut ok, mut differs) = (0, 0);
    let chosen = CASES
        .iter()
        .filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.name));
    for case in chosen {
        match check(case) {
            Ok(()) => {
                println!("{} ok", case.name);
                ok += 1;
            }
            Err(reason) => {
                println!("{} differs: {reason}", case.name);
                differs += 1;
            }
        }
    }
    println!("{name}: {ok} ok, {differs} differ");
    if differs == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Bytes of a thread's stack on a GPU: num-bigint and aho-corasick recurse, which takes more than the 1 KiB that a GPU's thread has by default.
const STACK: usize = 16 << 10;

/// Runs a kernel and compares every number with the host's. Each has a device of its own: a failure on a GPU is not the next one's.
fn check(case: &Case) -> Result<(), String> {
    let run = || -> Result<Vec<Numbers>, warploom::Error> {
        let device = Device::open()?;
        if device.is_gpu() {
            device.set_context_limit(ContextLimit::Stack, STACK)?;
        }
        let stream = device.stream()?;
        let mut results = device.upload(&vec![[0; 4]; THREADS])?;
        (case.launch)(&stream, &mut results)?;
        Ok(results.to_vec(&stream)?)
    };
    let found = run().map_err(|error| error.to_string())?;
    for (thread, found) in found.iter().enumerate() {
        let expected = (case.compute)(number(thread));
        if *found != expected {
            return Err(format!(
                "thread {thread} has {found:x?} instead of {expected:x?}"
            ));
        }
    }
    Ok(())
}
