//! Which kernels a file of CUDA C++ has.

/// Names of the kernels that `source` defines, in its order.
///
/// Reads what twins are written in: `__global__`, perhaps `__launch_bounds__(…)`, a type, the name, its parameters; on as many lines as one likes.
#[must_use]
pub fn kernels(source: &str) -> Vec<&str> {
    let definitions = source.split("__global__").skip(1);
    definitions.filter_map(name).collect()
}

fn name(mut definition: &str) -> Option<&str> {
    loop {
        let (head, rest) = definition.split_once('(')?;
        match head.split_whitespace().next_back()? {
            // What it is given has no parentheses.
            "__launch_bounds__" => definition = rest.split_once(')')?.1,
            name => return Some(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_behind_bounds_and_on_other_lines() {
        let source = "\
// Two of them.
extern \"C\" __global__ void plain(const float *x, int n) { helper(x); }
extern \"C\" __global__ void __launch_bounds__(256, 2)
    bounded(float4 *x) {}
";
        assert_eq!(kernels(source), ["plain", "bounded"]);
    }

    #[test]
    fn functions_of_the_device_are_no_kernels() {
        assert!(kernels("static __device__ float square(float x);").is_empty());
    }
}
