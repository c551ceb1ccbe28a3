//! Which functions and globals reach which.

use crate::hash::{HashMap, HashSet};
use crate::llvm::{Module, Value};

/// What each function and global of a module refers to: for questions about many kernels, of which each reaches a large part of the module.
pub(crate) struct References<'ctx>(HashMap<Value<'ctx>, Vec<Value<'ctx>>>);

impl<'ctx> References<'ctx> {
    pub(crate) fn of(module: &Module<'ctx>) -> References<'ctx> {
        let of_function = |function: Value<'ctx>| {
            let instructions = function.instructions().into_iter();
            (function, symbols(instructions.flat_map(Value::operands)))
        };
        let of_global = |global: Value<'ctx>| (global, symbols(global.initializer()));
        let functions = module.functions().into_iter().map(of_function);
        let globals = module.globals().into_iter().map(of_global);
        References(functions.chain(globals).collect())
    }

    /// These functions and globals with all that they refer to: through calls, tables and the initial values of globals.
    pub(crate) fn reached(
        &self,
        from: impl IntoIterator<Item = Value<'ctx>>,
    ) -> HashSet<Value<'ctx>> {
        let mut todo: Vec<Value<'ctx>> = from.into_iter().collect();
        let mut seen: HashSet<Value<'ctx>> = todo.iter().copied().collect();
        while let Some(value) = todo.pop() {
            let next = self.0.get(&value).into_iter().flatten().copied();
            todo.extend(next.filter(|v| seen.insert(*v)));
        }
        seen
    }
}

/// The functions and globals among these values and the constants of which they are made.
pub(crate) fn symbols<'ctx>(values: impl IntoIterator<Item = Value<'ctx>>) -> Vec<Value<'ctx>> {
    let is_new =
        |v: &Value<'ctx>, seen: &mut HashSet<Value<'ctx>>| v.is_constant() && seen.insert(*v);
    let mut seen = HashSet::default();
    let mut todo: Vec<Value<'ctx>> = values.into_iter().collect();
    todo.retain(|v| is_new(v, &mut seen));
    let mut found = Vec::new();
    while let Some(value) = todo.pop() {
        if value.as_function().is_some() || value.as_global().is_some() {
            found.push(value);
        } else {
            let parts = value.operands().into_iter();
            todo.extend(parts.filter(|v| is_new(v, &mut seen)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;

    const MODULE: &str = "@table = constant [1 x ptr] [ptr @of_table]
@data = global i32 0
@other = global ptr @unreached

define void @kernel() {
  %entry = load ptr, ptr getelementptr (i8, ptr @table, i64 8)
  call void @called()
  ret void
}
define void @called() {
  store i32 1, ptr @data
  call void @kernel()
  ret void
}
define void @of_table() {
  call void @declared()
  ret void
}
define void @unreached() {
  ret void
}
declare void @declared()
";

    #[test]
    fn references_lead_through_calls_and_initial_values() {
        let context = context();
        let module = Module::from_text(&context, MODULE).unwrap();
        let references = References::of(&module);
        let names = |from: &str| {
            let reached = references.reached(module.function(from)).into_iter();
            let mut names: Vec<String> = reached.map(Value::name).collect();
            names.sort();
            names
        };
        let all = ["called", "data", "declared", "kernel", "of_table", "table"];
        assert_eq!(names("kernel"), all);
        assert_eq!(names("of_table"), ["declared", "of_table"]);
        assert!(references.reached([]).is_empty());
    }
}
