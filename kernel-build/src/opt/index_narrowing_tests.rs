//! What becomes narrow, and what must not.

use super::{merge_addresses, narrow};
use crate::llvm::tests::context;
use crate::llvm::{Module, Passes};

/// `x` is below 32 and `y` below 1024, as 32 and 64 bits; `wide` is any number.
const NUMBERS: &str = "
  %x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %x64 = zext i32 %x to i64
  %y64 = zext i32 %y to i64
  %above = shl nuw i32 %y, 5
  %both = or disjoint i32 %above, %x
  %both64 = zext i32 %both to i64
";

fn module<'ctx>(context: &'ctx crate::llvm::Context, body: &str) -> Module<'ctx> {
    let text = format!(
        "target triple = \"nvptx64-nvidia-cuda\"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @llvm.umax.i64(i64, i64)
define i64 @f(i64 %wide, ptr %p) {{{NUMBERS}{body}}}\n"
    );
    Module::from_text(context, &text).unwrap()
}

/// The function after narrowing, and whether anything was.
fn narrowed(body: &str) -> (String, bool) {
    let context = context();
    let mut module = module(&context, body);
    let changed = narrow(module.function("f").unwrap());
    module.verify().unwrap();
    module.run(Passes::tidy(), None).unwrap();
    (module.function("f").unwrap().to_text(), changed)
}

#[track_caller]
fn becomes(body: &str, result: &str) {
    let (text, changed) = narrowed(body);
    assert!(changed && text.contains(result), "{text}");
}

#[track_caller]
fn stays(body: &str) {
    let (text, changed) = narrowed(body);
    assert!(!changed, "{text}");
}

#[test]
fn nothing_is_known_of_numbers_of_128_bits() {
    for by in [1, 64, 126] {
        stays(&format!(
            "  %w = zext i64 %wide to i128\n  %m = mul i128 %w, %w\n  %s = lshr i128 %m, {by}\n  %h = trunc i128 %s to i64
  %v = mul i64 %h, %h\n  ret i64 %v\n"
        ));
    }
}

#[test]
fn a_lower_part_is_taken_as_it_was() {
    let (text, _) = narrowed("  %v = and i64 %both64, 31\n  ret i64 %v\n");
    assert!(!text.contains("and ") && !text.contains("or "), "{text}");
}

#[test]
fn a_part_that_reaches_higher_is_cut() {
    becomes(
        "  %v = and i64 %both64, 15\n  ret i64 %v\n",
        "and i32 %x, 15",
    );
}

#[test]
fn an_upper_part_is_taken_as_it_was() {
    let (text, _) = narrowed("  %v = lshr i64 %both64, 5\n  ret i64 %v\n");
    assert!(!text.contains("shr") && !text.contains("shl"), "{text}");
}

#[test]
fn an_upper_part_that_was_cut_off_is_not() {
    // `%cut` may have lost bits above.
    let body = "  %some = trunc i64 %wide to i32
  %cut = shl i32 %some, 5
  %sum = or disjoint i32 %cut, %x
  %v = lshr i32 %sum, 5
  %v64 = zext i32 %v to i64
  ret i64 %v64\n";
    stays(body);
}

#[test]
fn a_difference_is_the_other_part() {
    let (text, _) = narrowed("  %v = sub i64 %both64, %x64\n  ret i64 %v\n");
    assert!(!text.contains("sub") && text.contains("shl"), "{text}");
}

#[test]
fn a_maximum_is_taken_in_32_bits() {
    becomes(
        "  %v = call i64 @llvm.umax.i64(i64 %both64, i64 %y64)\n  ret i64 %v\n",
        "llvm.umax.i32",
    );
}

#[test]
fn a_sum_that_fits_is_narrow() {
    becomes(
        "  %v = add i64 %both64, %y64\n  ret i64 %v\n",
        "add nuw nsw i32",
    );
}

#[test]
fn a_sum_with_any_number_is_wide() {
    stays("  %v = add i64 %both64, %wide\n  ret i64 %v\n");
}

#[test]
fn a_product_that_may_not_fit_is_wide() {
    let body = "  %some = trunc i64 %wide to i32
  %some64 = zext i32 %some to i64
  %v = mul i64 %some64, %y64
  ret i64 %v\n";
    stays(body);
}

#[test]
fn an_offset_stays_in_its_address() {
    stays("  %v = add i64 %both64, 7\n  ret i64 %v\n");
}

#[test]
fn a_shift_by_any_number_is_wide() {
    stays("  %v = lshr i64 %both64, %y64\n  ret i64 %v\n");
}

#[test]
fn a_comparison_of_narrow_numbers_is_narrow() {
    becomes(
        "  %c = icmp ult i64 %both64, %y64\n  %v = zext i1 %c to i64\n  ret i64 %v\n",
        "icmp samesign ult i32",
    );
}

#[test]
fn two_comparisons_with_one_length_are_one() {
    let body = "  %a = icmp ult i64 %both64, %wide
  %b = icmp ugt i64 %wide, %y64
  %c = select i1 %a, i1 %b, i1 false
  %v = zext i1 %c to i64
  ret i64 %v\n";
    becomes(body, "llvm.umax.i32");
}

#[test]
fn comparisons_with_two_lengths_are_two() {
    let body = "  %other = ptrtoint ptr %p to i64
  %a = icmp ult i64 %both64, %wide
  %b = icmp ult i64 %y64, %other
  %c = select i1 %a, i1 %b, i1 false
  %v = zext i1 %c to i64
  ret i64 %v\n";
    stays(body);
}

#[test]
fn either_of_two_is_not_both() {
    let body = "  %a = icmp ult i64 %both64, %wide
  %b = icmp ult i64 %y64, %wide
  %c = or i1 %a, %b
  %v = zext i1 %c to i64
  ret i64 %v\n";
    stays(body);
}

#[test]
fn functions_with_loops_keep_their_arithmetic() {
    let body = "  br label %round
round:
  %v = and i64 %both64, 31
  %again = icmp ult i64 %wide, 9
  br i1 %again, label %round, label %end
end:
  ret i64 %v\n";
    stays(body);
}

#[test]
fn two_steps_to_an_address_are_one() {
    let body = "  %row = getelementptr inbounds float, ptr %p, i64 %wide
  %at = getelementptr inbounds nuw float, ptr %row, i64 %y64
  %v = load i64, ptr %at
  ret i64 %v\n";
    let context = context();
    let mut module = module(&context, body);
    assert!(merge_addresses(module.function("f").unwrap()));
    module.run(Passes::drop_unused(), None).unwrap();
    let text = module.function("f").unwrap().to_text();
    assert_eq!(text.matches("getelementptr").count(), 1, "{text}");
}

#[test]
fn a_row_that_others_use_keeps_its_address() {
    let body = "  %row = getelementptr inbounds float, ptr %p, i64 %wide
  %at = getelementptr inbounds nuw float, ptr %row, i64 %y64
  %a = load i64, ptr %at
  %b = load i64, ptr %row
  %v = add i64 %a, %b
  ret i64 %v\n";
    let context = context();
    let module = module(&context, body);
    assert!(!merge_addresses(module.function("f").unwrap()));
}
