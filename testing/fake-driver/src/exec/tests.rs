use super::*;

const F32: Type = Type {
    class: 'f',
    bits: 32,
};
const S32: Type = Type {
    class: 's',
    bits: 32,
};
const U32: Type = Type {
    class: 'u',
    bits: 32,
};
const U64: Type = Type {
    class: 'u',
    bits: 64,
};

#[test]
fn arithmetic_wraps_at_the_width_of_the_type() {
    assert_eq!(binary(Binary::Add, U32, u32::MAX.into(), 2), 1);
    assert_eq!(binary(Binary::Sub, U64, 1, 2), u64::MAX);
    assert_eq!(fused(U32, [1 << 16, 1 << 16, 5], false), 5);
    assert_eq!(fused(U32, [1 << 16, 1 << 16, 5], true), (1 << 32) + 5);
    assert_eq!(
        binary(Binary::Shr, S32, (-8i32) as u32 as u64, 1),
        (-4i32) as u32 as u64
    );
}

#[test]
fn floats_are_computed_as_floats() {
    let bits = |x: f32| u64::from(x.to_bits());
    assert_eq!(
        fused(F32, [bits(2.0), bits(3.0), bits(1.0)], false),
        bits(7.0)
    );
    assert!(compare(Compare::Lt, F32, bits(-1.0), bits(0.5)));
    assert!(!compare(Compare::Ge, F32, bits(f32::NAN), bits(0.0)));
    assert_eq!(convert(F32, S32, (-3i32) as u32 as u64), bits(-3.0));
}

#[test]
fn what_is_not_understood_has_no_program() {
    let program = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 a)\n{{ {body} ret; }}"
        );
        crate::ptx::read(&text).unwrap().entries.remove(0).program
    };
    assert!(program("ld.param.u64 %d1, [a]; st.global.u32 [%d1+4], 7;").is_some());
    assert!(program("bar.sync 0;").is_none());
    assert!(program("@%p1 bra NOWHERE;").is_none());
    assert!(program("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;").is_none());
}
