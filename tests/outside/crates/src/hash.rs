//! Hash functions and ciphers: crates of the categories cryptography, algorithms and no-std.

use crate::case::case;

case!(aes, "aes", |x| {
    use ::aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
    use ::aes::{Aes128, Aes256};
    let a = Aes128::new(&bytes::<16>(x).into());
    let b = Aes256::new(&bytes::<32>(!x).into());
    let mut block = bytes::<16>(x >> 9).into();
    a.encrypt_block(&mut block);
    let first = digest(&block);
    b.encrypt_block(&mut block);
    let second = digest(&block);
    b.decrypt_block(&mut block);
    a.decrypt_block(&mut block);
    [
        first,
        second,
        digest(&block),
        u64::from(block[..] == bytes::<16>(x >> 9)),
    ]
});

case!(ahash, "ahash", |x| {
    use core::hash::{BuildHasher, Hash, Hasher};
    let state = ::ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut hasher = state.build_hasher();
    x.hash(&mut hasher);
    bytes::<29>(x).hash(&mut hasher);
    let mut text = state.build_hasher();
    text.write(&bytes::<70>(x));
    [
        state.hash_one(x),
        hasher.finish(),
        text.finish(),
        state.hash_one("word"),
    ]
});

case!(blake2, "blake2", |x| {
    use ::blake2::digest::consts::U20;
    use ::blake2::digest::{Update, VariableOutput};
    use ::blake2::{Blake2b, Blake2b512, Blake2bVar, Blake2s256, Digest};
    let text = bytes::<150>(x);
    let mut short = [0; 10];
    let mut variable = sure(Blake2bVar::new(10));
    variable.update(&text);
    sure(variable.finalize_variable(&mut short));
    [
        digest(&Blake2b512::digest(text)),
        digest(&Blake2s256::digest(&text[..64])),
        digest(&Blake2b::<U20>::digest(&text[..3])),
        digest(&short),
    ]
});

case!(blake3, "blake3", |x| {
    let text = bytes::<1500>(x);
    let mut hasher = ::blake3::Hasher::new_keyed(&bytes(x));
    hasher.update(&text[..700]);
    hasher.update(&text[700..]);
    let mut long = [0; 100];
    hasher.finalize_xof().fill(&mut long);
    [
        digest(::blake3::hash(&text).as_bytes()),
        digest(hasher.finalize().as_bytes()),
        digest(&long),
        digest(&::blake3::derive_key("kernel", &text[..9])),
    ]
});

case!(chacha20, "chacha20", |x| {
    use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
    use ::chacha20::{ChaCha8, ChaCha20, XChaCha20};
    let mut text = bytes::<300>(x);
    let mut cipher = ChaCha20::new(&bytes::<32>(x).into(), &bytes::<12>(!x).into());
    cipher.apply_keystream(&mut text);
    let first = digest(&text);
    cipher.seek(100u32);
    cipher.apply_keystream(&mut text[..50]);
    let second = digest(&text);
    ChaCha8::new(&bytes::<32>(x).into(), &bytes::<12>(x).into()).apply_keystream(&mut text);
    let third = digest(&text);
    XChaCha20::new(&bytes::<32>(x).into(), &bytes::<24>(x).into()).apply_keystream(&mut text);
    [first, second, third, digest(&text)]
});

case!(fnv, "fnv", |x| {
    use core::hash::{Hash, Hasher};
    let mut a = ::fnv::FnvHasher::default();
    a.write(&bytes::<31>(x));
    let mut b = ::fnv::FnvHasher::with_key(x);
    (x, "text", 7u16).hash(&mut b);
    [a.finish(), b.finish(), 0, 0]
});

case!(foldhash, "foldhash", |x| {
    use core::hash::{BuildHasher, Hasher};
    let fast = ::foldhash::fast::FixedState::with_seed(x);
    let quality = ::foldhash::quality::FixedState::with_seed(!x);
    let mut hasher = quality.build_hasher();
    hasher.write(&bytes::<90>(x));
    hasher.write_u32(x as u32);
    [
        fast.hash_one(x),
        quality.hash_one("a text"),
        hasher.finish(),
        fast.hash_one(bytes::<33>(x)),
    ]
});

case!(hmac, "hmac", |x| {
    use ::hmac::{Hmac, Mac};
    use ::sha2::Sha256;
    let mut mac = sure(Hmac::<Sha256>::new_from_slice(&bytes::<80>(x)));
    mac.update(&bytes::<100>(!x));
    let other = mac.clone().chain_update(b"more").finalize().into_bytes();
    let tag = mac.clone().finalize().into_bytes();
    [
        digest(&tag),
        digest(&other),
        u64::from(mac.clone().verify_slice(&tag).is_ok()),
        u64::from(mac.verify_slice(&other).is_ok()),
    ]
});

case!(md_5, "md-5", |x| {
    use ::md5::{Digest, Md5};
    let text = bytes::<130>(x);
    let mut hasher = Md5::new();
    hasher.update(&text[..70]);
    hasher.update(&text[70..]);
    [
        digest(&hasher.finalize()),
        digest(&Md5::digest(&text[..3])),
        digest(&Md5::digest([])),
        0,
    ]
});

case!(poly1305, "poly1305", |x| {
    use ::poly1305::Poly1305;
    use ::poly1305::universal_hash::{KeyInit, UniversalHash};
    let text = bytes::<160>(x);
    let mac = Poly1305::new(&bytes::<32>(x).into());
    let mut padded = mac.clone();
    padded.update_padded(&text[..77]);
    [
        digest(&mac.compute_unpadded(&text)),
        digest(&padded.finalize()),
        0,
        0,
    ]
});

case!(rustc_hash, "rustc-hash", |x| {
    use core::hash::{BuildHasher, Hash, Hasher};
    let mut hasher = ::rustc_hash::FxHasher::default();
    bytes::<50>(x).hash(&mut hasher);
    let seeded = ::rustc_hash::FxSeededState::with_seed(x as usize);
    [
        hasher.finish(),
        seeded.hash_one(x),
        ::rustc_hash::FxBuildHasher.hash_one("some text"),
        0,
    ]
});

case!(seahash, "seahash", |x| {
    use core::hash::Hasher;
    let text = bytes::<75>(x);
    let mut stream = ::seahash::SeaHasher::with_seeds(x, 2, 3, 4);
    stream.write(&text[..20]);
    stream.write_u32(x as u32);
    [
        ::seahash::hash(&text),
        ::seahash::hash_seeded(&text, 1, 2, 3, x),
        stream.finish(),
        ::seahash::hash(b""),
    ]
});

case!(sha1, "sha1", |x| {
    use ::sha1::{Digest, Sha1};
    let text = bytes::<140>(x);
    let whole = Sha1::digest(text);
    let parts = Sha1::new()
        .chain_update(&text[..65])
        .chain_update(&text[65..])
        .finalize();
    [
        digest(&whole),
        digest(&parts),
        digest(&Sha1::digest(&text[..1])),
        0,
    ]
});

case!(sha2, "sha2", |x| {
    use ::sha2::{Digest, Sha224, Sha256, Sha512};
    let text = bytes::<140>(x);
    let parts = Sha256::new()
        .chain_update(&text[..65])
        .chain_update(&text[65..])
        .finalize();
    [
        digest(&parts),
        digest(&Sha512::digest(text)),
        digest(&Sha224::digest(&text[..9])),
        digest(&Sha256::digest(b"abc")),
    ]
});

case!(sha3, "sha3", |x| {
    use ::sha3::digest::{ExtendableOutput, Update, XofReader};
    use ::sha3::{Digest, Keccak256, Sha3_256, Shake128};
    let text = bytes::<200>(x);
    let mut long = [0; 50];
    let mut shake = Shake128::default();
    shake.update(&text);
    shake.finalize_xof().read(&mut long);
    [
        digest(&Sha3_256::digest(text)),
        digest(&Keccak256::digest(&text[..11])),
        digest(&long),
        0,
    ]
});

case!(siphasher, "siphasher", |x| {
    use core::hash::Hasher;
    let mut a = ::siphasher::sip::SipHasher13::new_with_keys(x, 7);
    a.write(&bytes::<45>(x));
    let b = ::siphasher::sip128::SipHasher24::new_with_key(&bytes(x)).hash(&bytes::<23>(!x));
    [a.finish(), b.h1, b.h2, 0]
});

case!(subtle, "subtle", |x| {
    use ::subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
    let a = bytes::<16>(x);
    let same = a.ct_eq(&bytes::<16>(x ^ (x & 1) << 40));
    let chosen = u64::conditional_select(&x, &!x, Choice::from((x & 1) as u8));
    let (mut p, mut q) = (x, 99);
    u64::conditional_swap(&mut p, &mut q, same);
    [
        u64::from(same.unwrap_u8()),
        chosen,
        p,
        u64::from(x.ct_gt(&(1 << 63)).unwrap_u8()),
    ]
});

case!(twox_hash, "twox-hash", |x| {
    use ::twox_hash::{XxHash3_64, XxHash32, XxHash64};
    use core::hash::Hasher;
    let text = bytes::<180>(x);
    let mut stream = XxHash64::with_seed(x);
    stream.write(&text[..50]);
    stream.write(&text[50..]);
    [
        XxHash64::oneshot(3, &text),
        u64::from(XxHash32::oneshot(x as u32, &text)),
        XxHash3_64::oneshot_with_seed(x, &text),
        stream.finish(),
    ]
});

case!(xxhash_rust, "xxhash-rust", |x| {
    use ::xxhash_rust::{xxh3, xxh64};
    let text = bytes::<300>(x);
    let long = xxh3::xxh3_128(&text);
    [
        xxh64::xxh64(&text, 7),
        xxh3::xxh3_64_with_seed(&text[..100], x),
        long as u64,
        (long >> 64) as u64,
    ]
});
