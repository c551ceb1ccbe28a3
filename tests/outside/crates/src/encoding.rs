//! Crates of the category encoding.

use crate::case::case;

case!(base16ct, "base16ct", |x| {
    let source = bytes::<16>(x);
    let mut text = [0; 32];
    let encoded = sure(::base16ct::lower::encode(&source, &mut text)).len();
    let mut back = [0; 16];
    let decoded = sure(::base16ct::mixed::decode(&text, &mut back)).len();
    [digest(&text), encoded as u64, decoded as u64, digest(&back)]
});

case!(base64, "base64", |x| {
    use ::base64::Engine;
    use ::base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let source = bytes::<50>(x);
    let mut text = [0; 80];
    let encoded = sure(STANDARD.encode_slice(source, &mut text));
    let mut back = [0; 60];
    let decoded = sure(STANDARD.decode_slice(&text[..encoded], &mut back));
    let mut url = [0; 80];
    let short = sure(URL_SAFE_NO_PAD.encode_slice(&source[..10], &mut url));
    [
        digest(&text[..encoded]),
        digest(&back[..decoded]),
        digest(&url[..short]),
        u64::from(STANDARD.decode_slice(b"!bad", &mut back).is_err()),
    ]
});

case!(base64ct, "base64ct", |x| {
    use ::base64ct::{Base64, Base64UrlUnpadded, Encoding};
    let source = bytes::<32>(x);
    let mut text = [0; 64];
    let encoded = sure(Base64::encode(&source, &mut text)).len();
    let mut back = [0; 48];
    let decoded = sure(Base64::decode(&text[..encoded], &mut back)).len();
    let url = sure(Base64UrlUnpadded::encode(&source[..7], &mut text)).len();
    [
        digest(&back[..decoded]),
        encoded as u64,
        decoded as u64,
        digest(&text[..url]),
    ]
});

case!(bs58, "bs58", |x| {
    let source = bytes::<20>(x);
    let mut text = [0u8; 40];
    let encoded = sure(::bs58::encode(source).onto(&mut text[..]));
    let mut back = [0u8; 20];
    let decoded = sure(::bs58::decode(&text[..encoded]).onto(&mut back[..]));
    [
        digest(&text[..encoded]),
        encoded as u64,
        decoded as u64,
        digest(&back),
    ]
});

case!(bytemuck, "bytemuck", |x| {
    let words = [x as u32, (x >> 32) as u32, 7, 9];
    let text: &[u8] = ::bytemuck::cast_slice(&words);
    let wide: [u64; 2] = ::bytemuck::cast(words);
    let odd = ::bytemuck::pod_read_unaligned::<u64>(&text[3..11]);
    let failed = ::bytemuck::try_from_bytes::<u32>(&text[1..4]).is_err();
    [digest(text), wide[0] ^ wide[1], odd, u64::from(failed)]
});

case!(byteorder, "byteorder", |x| {
    use ::byteorder::{BigEndian, ByteOrder, LittleEndian};
    let mut text = bytes::<24>(x);
    BigEndian::write_u64(&mut text[1..], x);
    LittleEndian::write_uint(&mut text[9..], x & 0xff_ffff, 3);
    let mut words = [0u32; 4];
    BigEndian::read_u32_into(&text[4..20], &mut words);
    [
        digest(&text),
        BigEndian::read_u48(&text[2..]),
        LittleEndian::read_u64(&text[5..]),
        words.iter().fold(0, |a, w| a << 5 ^ u64::from(*w)),
    ]
});

case!(data_encoding, "data-encoding", |x| {
    use ::data_encoding::{BASE32, BASE64URL, HEXLOWER};
    let source = bytes::<20>(x);
    let mut hex = [0; 40];
    HEXLOWER.encode_mut(&source, &mut hex);
    let mut text = [0; 32];
    BASE32.encode_mut(&source, &mut text);
    let mut back = [0; 20];
    let decoded = BASE32.decode_mut(&text, &mut back).unwrap_or(99);
    [
        digest(&hex),
        digest(&text),
        digest(&back),
        (decoded + BASE64URL.encode_len(17)) as u64,
    ]
});

case!(hex, "hex", |x| {
    let source = bytes::<16>(x);
    let mut text = [0; 32];
    sure(::hex::encode_to_slice(source, &mut text));
    let mut back = [0; 16];
    sure(::hex::decode_to_slice(text, &mut back));
    let whole = ::hex::encode(&source[..5]);
    [
        digest(&text),
        digest(&back),
        digest(whole.as_bytes()),
        u64::from(::hex::decode("0g").is_err()),
    ]
});

case!(itoa, "itoa", |x| {
    let mut buffer = ::itoa::Buffer::new();
    [
        digest(buffer.format(x).as_bytes()),
        digest(buffer.format(-(x as i32 as i64)).as_bytes()),
        digest(buffer.format(u128::from(x) << 40).as_bytes()),
        digest(buffer.format(x as u8).as_bytes()),
    ]
});

case!(lexical_core, "lexical-core", |x| {
    let mut buffer = [0; 64];
    let integer = digest(::lexical_core::write(x, &mut buffer));
    let number = unit(x, 3) * 1e5;
    let float = ::lexical_core::write(number, &mut buffer);
    let back: f64 = sure(::lexical_core::parse(float));
    let parsed: i64 = sure(::lexical_core::parse(b"-9007199254740993"));
    [integer, digest(float), back.to_bits(), parsed as u64 ^ x]
});

case!(minicbor, "minicbor", |x| {
    use ::minicbor::{Decoder, Encoder};
    let mut text = [0u8; 64];
    let mut encoder = Encoder::new(&mut text[..]);
    sure(
        encoder
            .array(3)
            .and_then(|e| e.u64(x))
            .and_then(|e| e.str("cbor"))
            .and_then(|e| e.i32(x as i32)),
    );
    let left = encoder.writer().len();
    let mut decoder = Decoder::new(&text);
    let items = sure(decoder.array()).unwrap_or(0);
    let number = sure(decoder.u64());
    let word = digest(sure(decoder.str()).as_bytes());
    [
        digest(&text[..64 - left.min(64)]),
        items ^ number,
        word,
        sure(decoder.i32()) as u64,
    ]
});

case!(percent_encoding, "percent-encoding", |x| {
    use ::percent_encoding::{NON_ALPHANUMERIC, percent_decode, percent_encode};
    let source = bytes::<24>(x);
    let mut text = [0u8; 80];
    let mut length = 0;
    for part in percent_encode(&source, NON_ALPHANUMERIC) {
        text[length..length + part.len()].copy_from_slice(part.as_bytes());
        length += part.len();
    }
    let back =
        percent_decode(&text[..length]).fold(0u64, |a, b| a.wrapping_mul(257) ^ u64::from(b));
    let same = percent_decode(&text[..length]).eq(source);
    [
        length as u64,
        digest(&text[..length]),
        back,
        u64::from(same),
    ]
});

case!(postcard, "postcard", |x| {
    #[derive(::serde::Serialize, ::serde::Deserialize)]
    struct Message {
        id: u64,
        kind: Kind,
        parts: [u16; 3],
        flag: Option<bool>,
    }
    #[derive(::serde::Serialize, ::serde::Deserialize)]
    enum Kind {
        Empty,
        Pair(u32, i64),
    }
    let kind = if x & 1 == 0 {
        Kind::Empty
    } else {
        Kind::Pair(x as u32, -(x as i32 as i64))
    };
    let message = Message {
        id: x,
        kind,
        parts: [x as u16, 2, 3],
        flag: Some(x & 4 == 0),
    };
    let mut text = [0u8; 48];
    let length = sure(::postcard::to_slice(&message, &mut text)).len();
    let back: Message = sure(::postcard::from_bytes(&text[..length]));
    let kind = match back.kind {
        Kind::Empty => 1,
        Kind::Pair(a, b) => u64::from(a) ^ b as u64,
    };
    [
        digest(&text[..length]),
        back.id ^ u64::from(back.parts[0]),
        kind,
        back.flag.map_or(2, u64::from),
    ]
});

case!(ryu, "ryu", |x| {
    let mut buffer = ::ryu::Buffer::new();
    let any = f64::from_bits(x);
    let any = if any.is_finite() { any } else { 0.25 };
    [
        digest(buffer.format_finite(unit(x, 5)).as_bytes()),
        digest(buffer.format_finite(any).as_bytes()),
        digest(buffer.format(x as f32).as_bytes()),
        digest(buffer.format(-1.5e-7f64).as_bytes()),
    ]
});

case!(serde, "serde", |x| {
    use ::serde::Deserialize;
    use ::serde::de::IntoDeserializer;
    use ::serde::de::value::{Error, MapDeserializer, U64Deserializer};
    #[derive(::serde::Deserialize)]
    struct Point {
        x: u64,
        y: u32,
    }
    let fields = [("y", x & 0xffff), ("x", x >> 3)];
    let point: Point = sure(Point::deserialize(MapDeserializer::<_, Error>::new(
        fields.into_iter(),
    )));
    let small: Result<u8, Error> = u8::deserialize({
        let number: U64Deserializer<Error> = (x & 0x1ff).into_deserializer();
        number
    });
    let list: [u16; 2] = sure(<[u16; 2]>::deserialize({
        let list: ::serde::de::value::SeqDeserializer<_, Error> =
            ::serde::de::value::SeqDeserializer::new([x as u16, 5].into_iter());
        list
    }));
    [
        point.x,
        u64::from(point.y),
        small.map_or(1000, u64::from),
        u64::from(list[0]) << 16 | u64::from(list[1]),
    ]
});

case!(unsigned_varint, "unsigned-varint", |x| {
    use ::unsigned_varint::{decode, encode};
    let mut buffer = encode::u64_buffer();
    let text = encode::u64(x, &mut buffer);
    let (back, rest) = sure(decode::u64(text));
    let mut short = encode::u16_buffer();
    let bytes = encode::u16(x as u16, &mut short);
    [
        digest(text),
        back,
        (rest.len() + bytes.len() * 16) as u64,
        u64::from(decode::u8(&[0x80, 0x80]).is_err()),
    ]
});

case!(zerocopy, "zerocopy", |x| {
    use ::zerocopy::byteorder::{BigEndian, U16, U32};
    use ::zerocopy::{FromBytes, IntoBytes};
    let text = bytes::<16>(x);
    let (head, rest) = sure(U32::<BigEndian>::read_from_prefix(&text[..]).map_err(|_| ()));
    let words = sure(<[U16<BigEndian>]>::ref_from_bytes(rest).map_err(|_| ()));
    let sum: u32 = words.iter().map(|w| u32::from(w.get())).sum();
    [
        u64::from(head.get()),
        u64::from(sum),
        digest([x, 3].as_bytes()),
        words.len() as u64,
    ]
});
