//! Calls of random functions, before a lowering and after it.

use super::evaluate::{Input, Outcome};
use super::function::{Function, LAUNCH, REGISTER, RESULTS};
use super::maker::Random;
use crate::llvm::tests::context;
use crate::llvm::{Module, Value};
use crate::run_on_host::{for_host, written};
use std::fmt::Write as _;

/// How functions come about.
pub(super) struct Cases {
    pub(super) seed: u64,
    pub(super) functions: usize,
    /// Calls of each.
    pub(super) calls: usize,
    pub(super) function: fn(u64) -> Function,
    pub(super) input: fn(&Function, &mut Random) -> Input,
}

/// What was compared.
#[derive(Debug)]
pub(super) struct Compared {
    /// Functions that the lowering changed.
    pub(super) changed: usize,
    /// Results and failures that were the same.
    pub(super) results: usize,
    pub(super) failures: usize,
}

impl Compared {
    /// A test in which hardly anything was changed, or ended, would say nothing.
    #[track_caller]
    pub(super) fn are_enough(&self, changed: usize, results: usize, failures: usize) {
        let enough = self.changed >= changed && self.results >= results;
        assert!(enough && self.failures >= failures, "{self:?}");
    }
}

/// A call that has an end.
struct Call {
    function: usize,
    input: Input,
    outcome: Outcome,
}

/// Functions call what reads registers by another name here, behind the lowering.
const ON_HOST: &str = "launch.";

/// Compares all calls; `lower` says of each function of the module whether it has changed it.
#[track_caller]
pub(super) fn check(cases: &Cases, lower: impl FnOnce(&mut Module<'_>) -> usize) -> Compared {
    let mut functions = Vec::new();
    let mut calls = Vec::new();
    let mut text = String::new();
    for number in 0..cases.functions {
        let mut random = Random::new(cases.seed ^ (number as u64) << 32);
        let function = (cases.function)(random.number());
        text += &function.text(&format!("f{number}"));
        for _ in 0..cases.calls {
            let input = (cases.input)(&function, &mut random);
            let outcome = function.evaluate(&input);
            if outcome != Outcome::Unknown {
                calls.push(Call {
                    function: number,
                    input,
                    outcome,
                });
            }
        }
        functions.push(function);
    }
    for register in LAUNCH {
        let _ = writeln!(text, "declare i32 @{REGISTER}{register}()");
    }
    let context = context();
    let input = bytes(&calls, &functions);
    let run = |module: &Module<'_>| {
        module.verify().unwrap();
        let text = module.to_text().replace(REGISTER, ON_HOST);
        let mut module = Module::from_text(&context, &text).unwrap();
        written(&mut module, &program(cases.functions), &input)
    };
    let mut module = for_host(&context, &text);
    let before = run(&module);
    let changed = lower(&mut module);
    let after = run(&module);
    let mut compared = Compared {
        changed,
        results: 0,
        failures: 0,
    };
    for (n, call) in calls.iter().enumerate() {
        for (when, ended) in [("before", &before), ("after", &after)] {
            let ended = Ended::read(&ended[n * Ended::BYTES..][..Ended::BYTES]);
            let number = call.function;
            let of_module = |f: Value<'_>| f.to_text();
            assert!(
                ended.is(&call.outcome),
                "seed {}, function {number}, {:?}\nshould be {:?}\n{when} the lowering it is {ended:?}\n{}\nafter:\n{}",
                cases.seed,
                call.input,
                call.outcome,
                functions[number].text(&format!("f{number}")),
                module
                    .function(&format!("f{number}"))
                    .map(of_module)
                    .unwrap_or_default(),
            );
        }
        match &call.outcome {
            Outcome::Returned(results) => compared.results += results.iter().flatten().count(),
            _ => compared.failures += 1,
        }
    }
    compared
}

/// How a call has ended on this machine.
#[derive(Debug)]
struct Ended {
    /// 0: it has returned; 1: it has failed; 2: with a signal.
    how: u64,
    failed: u64,
    results: [u128; RESULTS],
}

impl Ended {
    const BYTES: usize = 16 + 16 * RESULTS;

    fn read(bytes: &[u8]) -> Ended {
        let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        let mut results = [0; RESULTS];
        for (n, result) in results.iter_mut().enumerate() {
            let at = 16 + 16 * n;
            *result = u128::from(word(at)) | u128::from(word(at + 8)) << 64;
        }
        Ended {
            how: word(0),
            failed: word(8),
            results,
        }
    }

    fn is(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Returned(results) => {
                let mut pairs = self.results.iter().zip(results);
                self.how == 0 && pairs.all(|(is, should)| should.is_none_or(|s| s == *is))
            }
            Outcome::Failed(index) => self.how == 1 && index.is_none_or(|i| i == self.failed),
            Outcome::Unknown => true,
        }
    }
}

/// What [`program`] reads: for each call a head of 12 words, then the elements of both arrays.
fn bytes(calls: &[Call], functions: &[Function]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in calls {
        let mut arrays: [Vec<u8>; 2] = [vec![], vec![]];
        let sizes = functions[call.function]
            .elements
            .map(|bits| bits as usize / 8);
        for ((array, elements), size) in arrays.iter_mut().zip(&call.input.arrays).zip(sizes) {
            for element in elements {
                array.extend(&element.to_le_bytes()[..size]);
            }
        }
        let mut head = vec![call.function as u64];
        head.extend(call.input.launch.map(u64::from));
        head.extend(call.input.parameters);
        head.extend(call.input.lengths);
        head.extend([arrays[0].len() as u64, arrays[1].len() as u64]);
        bytes.extend(head.iter().flat_map(|word| word.to_ne_bytes()));
        bytes.extend(arrays.concat());
    }
    bytes
}

/// Makes the calls. Arrays end where memory ends.
fn program(functions: usize) -> String {
    let mut text =
        String::from("typedef void function(u, u, u, u, void *, u, void *, u, void *);\n");
    let names: Vec<String> = (0..functions).map(|n| format!("f{n}")).collect();
    let _ = writeln!(text, "function {};", names.join(", "));
    let _ = writeln!(
        text,
        "static function *const all[] = {{{}}};",
        names.join(", ")
    );
    for (n, register) in LAUNCH.iter().enumerate() {
        let name = format!("{ON_HOST}{register}");
        let _ = writeln!(
            text,
            "static volatile u register{n};\nunsigned get{n}(void) __asm__(\"{name}\");\nunsigned get{n}(void) {{ return register{n}; }}"
        );
    }
    text + r"
static char *ends(void) {
    char *start = mmap(0, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + 4096, 4096, PROT_READ | PROT_WRITE);
    return start + 2 * 4096;
}
static void caught(int signal) { (void)signal; siglongjmp(back, 2); }
int main(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = caught;
    action.sa_flags = SA_NODEFER;
    for (int i = 0; i < 6; ++i) sigaction(signals[i], &action, 0);
    char *first = ends(), *second = ends();
    u head[12];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        static u ended[10];
        register0 = head[1], register1 = head[2], register2 = head[3];
        char *x0 = first - head[10], *x1 = second - head[11];
        if (head[10] && !fread(x0, head[10], 1, stdin)) return 1;
        if (head[11] && !fread(x1, head[11], 1, stdin)) return 1;
        static _Alignas(16) u out[8];
        memset(out, 0, sizeof out);
        alarm(2);
        ended[0] = FAILS;
        if (!ended[0]) all[head[0]](head[4], head[5], head[6], head[7], x0, head[8], x1, head[9], out);
        ended[1] = failed;
        memcpy(ended + 2, out, sizeof out);
        fwrite(ended, sizeof ended, 1, stdout);
    }
    return 0;
}
"
}
