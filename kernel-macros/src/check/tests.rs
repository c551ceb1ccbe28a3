//! Each rule once: the source, and under it where the mistake is shown and how its message begins.

use proc_macro2::{TokenStream, TokenTree};

use crate::enclosing::Enclosing;
use crate::kernel_attribute::analyse;

/// Runs the attribute over one line of source. `expected` has one line per mistake: carets under its tokens, then the
/// beginning of its message; it is empty if the kernel is right.
#[track_caller]
fn check(source: &str, expected: &str) {
    let tokens: TokenStream = source.parse().unwrap();
    let mut trees: Vec<_> = tokens.into_iter().collect();
    let mut arguments = TokenStream::new();
    if matches!(&trees[0], TokenTree::Punct(punct) if punct.as_char() == '#') {
        let TokenTree::Group(attribute) = trees.remove(1) else {
            panic!("an attribute")
        };
        trees.remove(0);
        if let Some(TokenTree::Group(group)) = attribute.stream().into_iter().nth(1) {
            arguments = group.stream();
        }
    }
    let found: Vec<(String, String)> = match analyse(arguments, trees.into_iter().collect(), None) {
        Ok(_) => Vec::new(),
        Err(error) => error
            .into_iter()
            .map(|error| {
                let (start, end) = (error.span().start().column, error.span().end().column);
                let carets = " ".repeat(start) + &"^".repeat(end - start);
                (carets, error.to_string())
            })
            .collect(),
    };
    let shown = |found: &[(String, String)]| {
        let lines: Vec<_> = found
            .iter()
            .map(|(carets, message)| format!("{carets} {message}"))
            .collect();
        format!("{source}\n{}", lines.join("\n"))
    };
    let expected: Vec<_> = expected.lines().filter(|line| !line.is_empty()).collect();
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(&expected)
            .all(|((carets, message), line)| format!("{carets} {message}").starts_with(line));
    assert!(same, "the rules say\n{}", shown(&found));
}

#[test]
fn right_kernels_are_left_alone() {
    check("fn k(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {}", "");
    check("unsafe fn k(p: *mut f32, n: usize) {}", "");
    check("#[kernel(dim(2), block(16, 16), launch_bounds(256, 2), fma)] pub(crate) fn k(b: Block) -> () {}", "");
    check("#[kernel(requires(n > 0, x.len() % n == 0 && N <= 4, n.is_power_of_two(), x.len() < u32::MAX as usize))] fn k<const N: usize>(n: usize, x: &[f32]) {}", "");
    check("fn k<T, F>(x: &[T], f: F) where T: Plain, F: Fn(T) -> T + Copy {}", "");
    check("fn k(i: Index1D<'_>, x: &'_ [f32], t: SharedTile<'_, f32, 4>) {}", "");
}

#[test]
fn all_mistakes_come_together() {
    check("#[kernel(dim(4))] fn k(s: String) -> u32 { 0 }", concat!(
          "             ^ a launch has 1, 2 or 3 dimensions, not 4\n",
          "                                     ^^^ a kernel returns nothing\n",
          "                          ^^^^^^ a kernel cannot reach a string"));
}

#[test]
fn kernel_is_a_function() {
    check("struct K { x: u32 }",
          "^^^^^^^^^^^^^^^^^^^ a kernel is a function");
}

#[test]
fn kernel_returns_nothing() {
    check("fn count(x: &[u32]) -> u32 { 0 }",
          "                       ^^^ a kernel returns nothing; write the result through a parameter such as `out: DisjointSlice<T>`");
}

#[test]
fn kernel_is_a_plain_fn() {
    check("async fn k() {}",
          "^^^^^ a kernel cannot be async");
    check("const fn k() {}",
          "^^^^^ a kernel cannot be const");
    check("extern \"C\" fn k() {}",
          "^^^^^^^^^^ a kernel has a calling convention of its own");
    check("unsafe extern \"C\" fn k(n: u32, ...) {}", concat!(
          "       ^^^^^^^^^^ a kernel has a calling convention\n",
          "                               ^^^ a kernel takes a fixed number"));
}

#[test]
fn kernel_is_a_free_function() {
    let errors = |source: &str, enclosing| {
        let item: TokenStream = source.parse().unwrap();
        let error = analyse(TokenStream::new(), item, Some(enclosing)).err().unwrap();
        error.into_iter().map(|e| e.to_string()).collect::<Vec<_>>()
    };
    let [error] = &errors("fn k(n: u32) {}", Enclosing::Impl)[..] else { panic!() };
    assert!(error.contains("move `k` out of the `impl`, to the module around it"), "{error}");
    let [error] = &errors("fn k(n: u32) {}", Enclosing::Trait("Step".into()))[..] else { panic!() };
    assert!(error.contains("move `k` out of the trait `Step`"), "{error}");
    let [error] = &errors("fn k(&self) {}", Enclosing::Impl)[..] else { panic!() };
    assert!(error.contains("move it out of the `impl` and pass the value"), "{error}");
}

#[test]
fn kernel_has_no_self() {
    check("fn k(&self, n: u32) {}",
          "     ^^^^^ a kernel is a free function; move it out of the `impl`");
}

#[test]
fn kernel_has_no_upper_self() {
    check("fn k(n: u32) { Self::f(n) }",
          "               ^^^^ a kernel is a free function and has no `Self`");
    check("fn k(n: u32) { struct S; impl S { fn f() -> Self { S } } }", "");
}

#[test]
fn kernel_has_no_lifetimes() {
    check("fn k<'a>(x: &[u32]) {}",
          "     ^^ a kernel has no lifetime parameters");
}

#[test]
fn attributes() {
    check("#[kernel] #[no_mangle] fn k() {}",
          "          ^^^^^^^^^^^^ `no_mangle` has no meaning on a kernel: the device pass names the entry");
    check("#[kernel] #[unsafe(no_mangle)] fn k() {}",
          "          ^^^^^^^^^^^^^^^^^^^^ `no_mangle` has no meaning");
    check("#[kernel] #[inline(never)] fn k() {}",
          "          ^^^^^^^^^^^^^^^^ `inline` has no meaning on a kernel: the hardware calls it");
    check("#[kernel] #[test] fn k() {}",
          "          ^^^^^^^ `test` has no meaning on a kernel: write a test function that launches");
    check("#[kernel] #[track_caller] fn k() {}",
          "          ^^^^^^^^^^^^^^^ `track_caller` has no meaning on a kernel: no Rust function calls it");
    check("#[kernel] #[target_feature(enable = \"avx\")] fn k() {}",
          "          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `target_feature` has no meaning on a kernel");
}

#[test]
fn output_is_disjoint() {
    check("fn k(y: &mut [f32]) {}",
          "        ^^^^^^^^^^ every thread of the launch would hold this `&mut` slice at once; take `mut out: DisjointSlice<T>`");
}

#[test]
fn output_is_not_a_reference() {
    check("fn k(y: &mut f32) {}",
          "        ^^^^^^^^ every thread of the launch would hold this `&mut` at once");
}

#[test]
fn output_names_its_element() {
    check("fn k(y: DisjointSlice) {}",
          "        ^^^^^^^^^^^^^ an output names its element");
}

#[test]
fn tensor_names_element_and_rank() {
    check("fn k(x: TensorSource<f32>) {}",
          "        ^^^^^^^^^^^^^^^^^ a tensor names its element and how many dimensions it has; write `TensorSource<f32, 2>` or `TensorTarget<f32, 2>`");
}

#[test]
fn value_is_not_borrowed() {
    check("fn k(c: &Config) {}",
          "        ^^^^^^^ a kernel cannot follow a reference into the host's memory");
    check("fn k(c: &dyn Fn(f32)) {}",
          "        ^^^^^^^^^^^^ a kernel cannot follow a reference");
}

#[test]
fn what_launches_cannot_give_is_refused() {
    check("fn k(x: &DeviceBuffer<f32>, a: &[&f32], l: BlockLeader, s: SharedArray<f32, 4>) {}", concat!(
          "        ^^^^^^^^^^^^^^^^^^ this is the host's handle of memory\n",
          "                               ^^^^^^^ a kernel cannot follow references\n",
          "                                           ^^^^^^^^^^^ only one thread of each block\n",
          "                                                           ^^^^^^^^^^^^^^^^^^^ shared memory is made in the kernel"));
}

#[test]
fn text_is_bytes() {
    check("fn k(a: &str) {}",
          "        ^^^^ a kernel cannot reach a string of the host");
    check("fn k(a: &String) {}",
          "        ^^^^^^^ a kernel cannot reach a string of the host");
}

#[test]
fn buffer_is_a_slice() {
    check("fn k(x: Vec<f32>) {}",
          "        ^^^^^^^^ this type owns memory of the host");
    check("fn k(x: std::rc::Rc<f32>) {}",
          "        ^^^^^^^^^^^^^^^^ this type owns memory of the host");
}

#[test]
fn type_parameter_has_a_name() {
    check("fn k(f: impl Fn(f32) -> f32) {}",
          "        ^^^^^^^^^^^^^^^^^^^ name the type parameter");
}

#[test]
fn fn_pointer_is_a_type_parameter() {
    check("fn k(f: fn(f32) -> f32) {}",
          "        ^^^^^^^^^^^^^^ the address of a host function");
}

#[test]
fn witness_by_value() {
    check("fn k(i: &Index1D) {}",
          "        ^^^^^^^^ each thread has an index or group of its own");
    check("fn k(t: &mut SharedTile<f32, 4>) {}",
          "        ^^^^^^^^^^^^^^^^^^^^^^^ each thread has an index or group of its own");
}

#[test]
fn pointer_needs_unsafe() {
    check("fn k(p: *mut f32) {}",
          "        ^^^^^^^^ a kernel that takes raw pointers is an `unsafe fn`");
}

#[test]
fn parameter_has_a_name() {
    check("fn k((a, b): (u32, u32)) {}",
          "     ^^^^^^ a kernel parameter is a plain name");
    check("fn k(_: u32) {}",
          "     ^ a kernel parameter is a plain name");
}

#[test]
fn parameter_has_no_attributes() {
    check("fn k(#[cfg(test)] a: u32) {}",
          "     ^^^^^^^^^^^^ a kernel parameter takes no attributes");
}

#[test]
fn slice_is_not_mut() {
    check("fn k(mut x: &[f32]) {}",
          "         ^ all threads share this slice and none may write it; remove `mut`, or take a `DisjointSlice<f32>`");
}

#[test]
fn lifetimes_are_elided() {
    check("fn k(x: &'static [f32]) {}",
          "         ^^^^^^^ the launch decides the lifetime");
    check("fn k(i: Index1D<'static>) {}",
          "                ^^^^^^^ the launch decides the lifetime");
}

#[test]
fn one_index() {
    check("fn k(i: Index1D, j: Index2D) {}",
          "                    ^^^^^^^ a kernel takes one index, and `i` is one already");
}

#[test]
fn at_most_seven_tiles() {
    let tiles: String = (0..8).map(|k| format!("t{k}: SharedTile<f32, 4>, ")).collect();
    let source = format!("fn k({tiles}) {{}}");
    let at = source.rfind("SharedTile").unwrap();
    check(&source, &format!("{}^^^^^^^^^^^^^^^^^^ a kernel has at most 7 shared tiles", " ".repeat(at)));
}

#[test]
fn dim_agrees_with_index() {
    check("#[kernel(dim(2))] fn k(i: Index1D) {}",
          "         ^^^^^^ `i: Index1D` makes this a 1-D kernel; remove `dim(..)`, or take an `Index2D`");
}

#[test]
fn dim_is_1_to_3() {
    check("#[kernel(dim(0))] fn k() {}",
          "             ^ a launch has 1, 2 or 3 dimensions, not 0");
}

#[test]
fn block_fits_the_hardware() {
    check("#[kernel(block(33, 32))] fn k() {}",
          "         ^^^^^^^^^^^^^ a block of 1056 threads: a GPU runs at most 1024");
    check("#[kernel(block(0))] fn k() {}",
          "         ^^^^^^^^ a block has at least one thread");
    check("#[kernel(block(1, 1, 128))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^ a block may be at most 64 threads deep");
}

#[test]
fn block_has_the_dims() {
    check("#[kernel(block(16, 16))] fn k(i: Index1D) {}",
          "         ^^^^^^^^^^^^^ a 2-D block in a 1-D kernel");
    check("#[kernel(block(16, 1))] fn k(i: Index1D) {}", "");
}

#[test]
fn launch_bounds_fit_the_hardware() {
    check("#[kernel(launch_bounds(2048))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^^^ `launch_bounds` of 2048 threads");
    check("#[kernel(launch_bounds(128, 0))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^^^^^ at least one block");
}

#[test]
fn numbers_of_launch_bounds() {
    check("#[kernel(launch_bounds(128, 1, 32))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^^^^^^^^^ `launch_bounds` of 32 blocks per cluster");
    check("#[kernel(launch_bounds(max_thread = 128))] fn k() {}",
          "                       ^^^^^^^^^^ `launch_bounds` has no `max_thread`; name its numbers");
    check("#[kernel(launch_bounds(max_threads = 128, 2))] fn k() {}",
          "                                          ^ either all numbers of `launch_bounds` have names");
    check("#[kernel(launch_bounds(min_blocks = 2))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `launch_bounds` takes 1 to 3 number(s)");
    check("#[kernel(launch_bounds(max_threads = 8, max_threads = 8))] fn k() {}",
          "                                        ^^^^^^^^^^^ `max_threads` is given twice");
    check("#[kernel(launch_bounds(max_threads = 8, min_blocks = 2, max_blocks_per_cluster = 16))] fn k() {}", "");
}

#[test]
fn cluster_fits_the_hardware() {
    check("#[kernel(cluster(2, 0))] fn k() {}",
          "         ^^^^^^^^^^^^^ a cluster has at least one block");
    check("#[kernel(cluster(4, 4))] fn k() {}",
          "         ^^^^^^^^^^^^^ a cluster of 16 blocks: every GPU with clusters supports 8");
    check("#[kernel(cluster(2, 2, 2))] fn k() {}", "");
    check("#[kernel(cluster)] fn k() {}", "");
}

#[test]
fn cluster_has_the_dims() {
    check("#[kernel(cluster(1, 2))] fn k(i: Index1D) {}",
          "         ^^^^^^^^^^^^^ a 2-D cluster in a 1-D kernel");
    check("#[kernel(cluster(2, 1))] fn k(i: Index1D) {}", "");
}

#[test]
fn cluster_keeps_launch_bounds() {
    check("#[kernel(cluster(4), launch_bounds(128, 1, 2))] fn k() {}",
          "                     ^^^^^^^^^^^^^^^^^^^^^^^^ `cluster` has 4 blocks but `launch_bounds` allows 2");
}

#[test]
fn cooperative_grid_is_declared() {
    check("fn k(grid: CooperativeGrid) {}",
          "           ^^^^^^^^^^^^^^^ only a cooperative launch has all blocks of the grid resident");
    check("#[kernel(cooperative)] fn k(grid: CooperativeGrid) {}", "");
    check("#[kernel(cooperative(true))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^ `cooperative` takes no value");
}

#[test]
fn dependent_or_cooperative() {
    check("#[kernel(cooperative, dependent_launch)] fn k() {}",
          "                      ^^^^^^^^^^^^^^^^ a cooperative kernel starts when the kernels ahead of it have ended");
    check("#[kernel(dependent_launch, cluster(2))] fn k() {}", "");
    check("#[kernel(dependent_launch(true))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^^^^^^ `dependent_launch` takes no value");
}

#[test]
fn registers_or_bounds() {
    check("#[kernel(launch_bounds(64), max_registers(40))] fn k() {}",
          "                            ^^^^^^^^^^^^^^^^^ `launch_bounds` limits the registers already");
    check("#[kernel(block(64), max_registers(40))] fn k() {}", "");
}

#[test]
fn one_cluster() {
    check("fn k(a: Cluster, b: Cluster) {}",
          "                    ^^^^^^^ a kernel takes one `Cluster`");
}

#[test]
fn block_keeps_launch_bounds() {
    check("#[kernel(block(256), launch_bounds(128))] fn k() {}",
          "                     ^^^^^^^^^^^^^^^^^^ `block` has 256 threads but `launch_bounds` allows 128");
}

#[test]
fn registers_in_range() {
    check("#[kernel(max_registers(8))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^ the limit of registers per thread is 16 to 255, not 8");
}

#[test]
fn argument_known() {
    check("#[kernel(dims(1), fma)] fn k() {}",
          "         ^^^^ unknown kernel argument `dims`; known are `dim(1)`");
    check("#[kernel(dim = 1)] fn k() {}",
          "             ^^^ arguments are written in parentheses: `dim(...)`");
    check("#[kernel(2)] fn k() {}",
          "         ^ expected an argument of the kernel attribute");
    check("#[kernel(fma(on))] fn k() {}",
          "         ^^^^^^^ `fma` takes no value");
    check("#[kernel(fast_math = true)] fn k() {}",
          "                   ^^^^^^ arguments are written in parentheses: `fast_math(...)`");
    check("#[kernel(fast_math(true))] fn k() {}",
          "         ^^^^^^^^^^^^^^^ `fast_math` takes no value");
    check("#[kernel(fastmath)] fn k() {}",
          "         ^^^^^^^^ unknown kernel argument `fastmath`");
    check("#[kernel(block(1, 2, 3, 4))] fn k() {}",
          "         ^^^^^^^^^^^^^^^^^ `block` takes 1 to 3 number(s), such as `block(256)`");
}

#[test]
fn fast_math_is_of_kernels() {
    check("#[kernel(fast_math)] fn k(x: &[f32]) {}", "");
    check("#[kernel(fast_math)] fn half(x: f32) -> f32 {}",
          "         ^^^^^^^^^ `fast_math` is an option of kernels, and `half` returns a value");
}

#[test]
fn argument_once() {
    check("#[kernel(fma, fma)] fn k() {}",
          "              ^^^ `fma` is given twice");
    check("#[kernel(fast_math, fma, fast_math)] fn k() {}",
          "                         ^^^^^^^^^ `fast_math` is given twice");
}

#[test]
fn argument_is_a_literal() {
    check("#[kernel(block(TILE))] fn k() {}",
          "               ^^^^ `block` takes integer literals");
}

#[test]
fn condition_is_arithmetic() {
    check("#[kernel(requires(f(n)))] fn k(n: u32) {}",
          "                  ^^^^ a launch condition is arithmetic on by-value parameters");
    check("#[kernel(requires(n.pow(2) == 4))] fn k(n: u32) {}",
          "                    ^^^ a launch condition may call `len()`");
    check("#[kernel(requires)] fn k(n: u32) {}",
          "         ^^^^^^^^ `requires` needs a condition");
}

#[test]
fn condition_is_of_integers() {
    check("#[kernel(requires(n > 0.5))] fn k(n: u32) {}",
          "                      ^^^ a launch condition is arithmetic on integers and `bool`");
    check("#[kernel(requires(n as f32 > n as f64))] fn k(n: u32) {}",
          "                       ^^^ a launch condition is arithmetic on integers and `bool`\n                                  ^^^ a launch condition is arithmetic on integers and `bool`");
    check("#[kernel(requires(n as u8 == b'a' as u8))] fn k(n: u32) {}",
          "                             ^^^^ a launch condition is arithmetic on integers and `bool`");
    check("#[kernel(requires((n as usize) < x.len() && true))] fn k(n: u32, x: &[u32]) {}", "");
}

#[test]
fn condition_names_a_parameter() {
    check("#[kernel(requires(m > 0))] fn k(n: u32, x: &[u32]) {}",
          "                  ^ `m` is neither a parameter of this kernel nor a constant; conditions name `n`, `x.len()`");
    check("#[kernel(requires(x > 0))] fn k(x: &[u32]) {}",
          "                  ^ the elements are not known before the launch; write `x.len()`");
    check("#[kernel(requires(x.first() > 0))] fn k(x: &[u32]) {}",
          "                    ^^^^^ before the launch only `len()` is known here");
    check("#[kernel(requires(i > 0))] fn k(i: Index1D) {}",
          "                  ^ the host cannot see `i` as a number");
}
