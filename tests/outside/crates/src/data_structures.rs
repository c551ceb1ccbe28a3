//! Crates of the category data-structures.

use crate::case::case;

case!(arrayvec, "arrayvec", |x| {
    use ::arrayvec::{ArrayString, ArrayVec};
    let mut list = ArrayVec::<u64, 16>::new();
    for k in 0..20 {
        let _ = list.try_push(x.rotate_left(k * 3));
    }
    list.sort_unstable();
    list.retain(|v| *v % 3 != 0);
    list.truncate(9);
    let mut text = ArrayString::<32>::new();
    for k in 0..4 {
        text.push(char::from(b'a' + (x >> (8 * k)) as u8 % 26));
    }
    [
        list.len() as u64,
        list.iter().fold(0, |a, v| a ^ v.rotate_left(5)),
        list.last().copied().unwrap_or(1),
        digest(text.as_bytes()),
    ]
});

case!(bit_set, "bit-set", |x| {
    use ::bit_set::BitSet;
    let mut a = BitSet::new();
    let mut b = BitSet::new();
    for k in 0..12 {
        a.insert((x >> (5 * k)) as usize % 100);
        b.insert((x >> (4 * k)) as usize % 90);
    }
    let common: u64 = a.intersection(&b).map(|v| v as u64).sum();
    a.union_with(&b);
    [
        common,
        a.iter().count() as u64,
        a.iter().fold(0, |s, v| s * 31 + v as u64),
        u64::from(a.contains(x as usize % 100)),
    ]
});

case!(bitflags, "bitflags", |x| {
    ::bitflags::bitflags! {
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct Flags: u32 {
            const A = 1;
            const B = 1 << 3;
            const C = 1 << 7;
            const AC = 1 | 1 << 7;
        }
    }
    let flags = Flags::from_bits_truncate(x as u32);
    [
        u64::from(flags.bits()),
        flags.iter().count() as u64,
        u64::from(flags.contains(Flags::AC)),
        u64::from((flags ^ Flags::B | Flags::A).bits()),
    ]
});

case!(bitvec, "bitvec", |x| {
    use ::bitvec::prelude::*;
    let mut words = bytes::<16>(x);
    let bits = words.view_bits_mut::<Lsb0>();
    bits[3..77].rotate_left(11);
    let ones = bits.count_ones() as u64;
    let runs = bits
        .iter_ones()
        .fold(0u64, |a, i| a.wrapping_mul(131) ^ i as u64);
    let loaded = bits[5..60].load::<u64>();
    let array = bitarr![u32, Msb0; 0, 1, 1, 0, 1];
    [ones, runs, loaded, array.first_one().unwrap_or(9) as u64]
});

case!(bytes, "bytes", |x| {
    use ::bytes::{Buf, BufMut, Bytes, BytesMut};
    let mut written = BytesMut::with_capacity(32);
    written.put_u64(x);
    written.put_u16_le(x as u16);
    written.put_slice(b"kernel");
    let mut read: Bytes = written.freeze();
    let start = read.split_to(3);
    let middle = read.get_u32();
    [
        digest(&start),
        u64::from(middle),
        read.remaining() as u64,
        digest(&read),
    ]
});

case!(either, "either", |x| {
    use ::either::Either;
    let items = if x & 1 == 0 {
        Either::Left((0..x % 17).map(|v| v * v))
    } else {
        Either::Right([x, x >> 1, x >> 2].into_iter())
    };
    let value: Either<u32, u64> = if x & 2 == 0 {
        Either::Left(x as u32)
    } else {
        Either::Right(x)
    };
    [
        items.fold(0, |a: u64, v| a.wrapping_mul(7) ^ v),
        value.either(u64::from, |v| v >> 7),
        u64::from(value.is_left()),
        value.flip().right_or(5).into(),
    ]
});

case!(fixedbitset, "fixedbitset", |x| {
    use ::fixedbitset::FixedBitSet;
    let mut set = FixedBitSet::with_capacity(200);
    for k in 0..16 {
        set.insert((x >> (3 * k)) as usize % 200);
    }
    set.toggle_range(50..130);
    let mut other = FixedBitSet::with_capacity(200);
    other.insert_range(..(x % 200) as usize);
    other.intersect_with(&set);
    [
        set.count_ones(..) as u64,
        set.ones().fold(0u64, |a, v| a.wrapping_mul(33) ^ v as u64),
        other.count_ones(..) as u64,
        u64::from(other.is_subset(&set)),
    ]
});

case!(generic_array, "generic-array", |x| {
    use ::generic_array::GenericArray;
    use ::generic_array::functional::FunctionalSequence;
    use ::generic_array::sequence::{Concat, GenericSequence, Split};
    use ::generic_array::typenum::{U3, U8};
    let a = GenericArray::<u64, U8>::generate(|i| x.rotate_left(i as u32));
    let b = a.map(|v| v ^ 0x55);
    let sum = a.zip(b, |p, q| p.wrapping_mul(q)).fold(0u64, |s, v| s ^ v);
    let (head, tail): (GenericArray<u64, U3>, _) = a.split();
    let joined = tail.concat(head);
    [
        sum,
        head[1],
        joined[7],
        joined.iter().filter(|v| **v & 1 == 0).count() as u64,
    ]
});

case!(hashbrown, "hashbrown", |x| {
    use ::hashbrown::{HashMap, HashSet};
    use ::rustc_hash::FxBuildHasher;
    let mut map = HashMap::<u64, u64, FxBuildHasher>::default();
    for k in 0..40 {
        *map.entry(x.rotate_left(k) % 23).or_insert(1) += u64::from(k);
    }
    map.remove(&5);
    let set: HashSet<u64, FxBuildHasher> = map.keys().map(|k| k / 2).collect();
    [
        map.len() as u64,
        map.iter().fold(0, |a, (k, v)| {
            a ^ k.wrapping_mul(31).wrapping_add(*v) << (k % 40)
        }),
        map.get(&(x % 23)).copied().unwrap_or(77),
        set.len() as u64,
    ]
});

case!(heapless, "heapless", |x| {
    use ::heapless::binary_heap::{BinaryHeap, Min};
    use ::heapless::{Deque, FnvIndexMap, String, Vec};
    let mut heap = BinaryHeap::<u32, Min, 8>::new();
    let mut queue = Deque::<u32, 4>::new();
    let mut map = FnvIndexMap::<u32, u32, 16>::new();
    for k in 0..8 {
        let value = (x >> (7 * k)) as u32 % 50;
        let _ = heap.push(value);
        if queue.push_back(value).is_err() {
            queue.pop_front();
        }
        let _ = map.insert(value % 16, value);
    }
    let mut sorted = Vec::<u32, 8>::new();
    while let Some(least) = heap.pop() {
        let _ = sorted.push(least);
    }
    let mut text = String::<16>::new();
    let _ = text.push_str("ab");
    [
        sorted.iter().fold(0, |a, v| a * 51 + u64::from(*v)),
        queue.iter().map(|v| u64::from(*v)).sum(),
        map.values().map(|v| u64::from(*v)).sum::<u64>() + map.len() as u64 * 1000,
        text.len() as u64,
    ]
});

case!(indexmap, "indexmap", |x| {
    use ::indexmap::IndexMap;
    use ::rustc_hash::FxBuildHasher;
    let mut map = IndexMap::<u64, u64, FxBuildHasher>::default();
    for k in 0..30 {
        *map.entry(x.rotate_left(k * 2) % 19).or_insert(0) += u64::from(k) + 1;
    }
    map.swap_remove(&3);
    map.sort_keys();
    [
        map.len() as u64,
        map.iter()
            .fold(0u64, |a, (k, v)| a.wrapping_mul(1009) ^ k ^ v << 8),
        map.get_index(2).map_or(7, |(k, _)| *k),
        map.get_index_of(&(x % 19)).unwrap_or(99) as u64,
    ]
});

case!(petgraph, "petgraph", |x| {
    use ::petgraph::Graph;
    use ::petgraph::algo::toposort;
    use ::petgraph::visit::Dfs;
    let mut graph = Graph::<u32, u32>::new();
    let nodes: [_; 8] = core::array::from_fn(|i| graph.add_node(i as u32));
    for k in 0..12 {
        let (a, b) = ((x >> (4 * k)) as usize % 8, (x >> (4 * k + 2)) as usize % 8);
        if a < b {
            graph.add_edge(nodes[a], nodes[b], k);
        }
    }
    let mut order = Dfs::new(&graph, nodes[0]);
    let mut visited = 1u64;
    while let Some(node) = order.next(&graph) {
        visited = visited * 9 + node.index() as u64;
    }
    let sorted = toposort(&graph, None).map_or(0, |all| {
        all.iter().fold(0u64, |a, n| a * 8 + n.index() as u64)
    });
    [
        graph.edge_count() as u64,
        visited,
        sorted,
        graph.neighbors(nodes[1]).count() as u64,
    ]
});

case!(slab, "slab", |x| {
    use ::slab::Slab;
    let mut slab = Slab::with_capacity(4);
    let keys: [usize; 6] = core::array::from_fn(|k| slab.insert(x.rotate_left(k as u32 * 9)));
    let removed = slab.remove(keys[(x % 6) as usize]);
    let again = slab.insert(removed ^ 1);
    [
        removed,
        again as u64,
        slab.len() as u64,
        slab.iter().fold(0, |a, (k, v)| a ^ v.rotate_left(k as u32)),
    ]
});

case!(slotmap, "slotmap", |x| {
    use ::slotmap::{Key, SlotMap};
    let mut map = SlotMap::new();
    let keys: [_; 5] = core::array::from_fn(|k| map.insert(x >> (k * 5)));
    let gone = keys[(x % 5) as usize];
    let removed = map.remove(gone).unwrap_or(0);
    let new = map.insert(removed.wrapping_add(7));
    [
        removed,
        u64::from(map.contains_key(gone)),
        new.data().as_ffi(),
        map.values().fold(0, |a, v| a ^ v.rotate_left(3)),
    ]
});

case!(smallvec, "smallvec", |x| {
    use ::smallvec::{SmallVec, smallvec};
    let mut list: SmallVec<[u64; 4]> = smallvec![x, 2, 3];
    for k in 0..(x % 7) {
        list.push(x >> k);
    }
    list.insert(1, 40);
    list.dedup();
    let tail: SmallVec<[u64; 4]> = list.drain(2..).collect();
    [
        list.len() as u64,
        u64::from(list.spilled()),
        tail.iter().fold(0, |a, v| a ^ v.rotate_left(7)),
        tail.len() as u64,
    ]
});

case!(tinyvec, "tinyvec", |x| {
    use ::tinyvec::ArrayVec;
    let mut list = ArrayVec::<[u32; 12]>::new();
    for k in 0..12 {
        list.push((x >> (k * 4)) as u32 % 100);
    }
    list.sort_unstable();
    list.retain(|v| v % 2 == 0);
    let half = list.split_off(list.len() / 2);
    [
        list.len() as u64,
        list.iter().fold(0, |a, v| a * 101 + u64::from(*v)),
        half.iter().map(|v| u64::from(*v)).sum(),
        half.capacity() as u64,
    ]
});
