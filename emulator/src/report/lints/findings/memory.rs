//! How well the lanes of a warp share global and shared memory.

use super::super::profile::Spot;
use super::super::request::{BANKS, Request, SECTOR_BYTES, bank};
use super::super::stride::{Pattern, padding};
use super::super::tally::{Example, Tally};
use super::super::{AccessClass, Profile, Space};
use super::{Finding, LEAST_REQUESTS, first_of, grouped, note, number, percent, warning};
use crate::finding::{Code, Note};

/// Reported are places whose requests together touch more than twice the sectors, or need at least twice the passes, that they have to.
const LEAST_EXCESS: u64 = 2;

/// What a request of a texture may touch besides: a part of the picture that begins within tiles has tiles more at its edges.
const EDGE_SECTORS: u64 = 4;

/// Sectors that a multiprocessor gets from the second-level cache in a cycle.
const SECTORS_PER_CYCLE: f64 = 2.0;

/// Requests of one kind of memory that touch more sectors than they have to.
struct Excess {
    code: Code,
    space: Space,
    /// Sectors that a request may touch besides.
    allowed: u64,
    /// How the title begins.
    what: fn(&Tally) -> String,
    /// Behind the number of requests and bytes.
    counted: &'static str,
    /// Why, where, and what to do.
    explain: fn(&Example) -> Explained,
}

/// Why a request costs so much, the addresses where they tell something, and what to do.
struct Explained {
    why: String,
    addresses: Option<Note>,
    help: Note,
}

pub(super) fn uncoalesced(profile: &Profile) -> Vec<Finding> {
    let excess = Excess {
        code: Code::UNCOALESCED,
        space: Space::Global,
        allowed: 0,
        what: |tally| format!("uncoalesced {} of global memory", does(tally.kind)),
        counted: "",
        explain: |worst| {
            let pattern = Pattern::of(&worst.request);
            let lies = if worst.request.mask.count_ones() > 1 {
                "what the lanes want lies in many sectors and most of each is fetched for nothing"
            } else {
                "the lane's bytes lie apart"
            };
            Explained {
                why: format!(
                    "global memory moves in sectors of {SECTOR_BYTES} bytes; {pattern}, so that {lies}"
                ),
                addresses: Some(note("note", addresses(worst, "0x"))),
                help: advice(pattern, worst.request.bytes),
            }
        },
    };
    excess.findings(profile)
}

/// The same of elements of arrays, whose sectors are tiles.
pub(super) fn scattered_fetches(profile: &Profile) -> Vec<Finding> {
    let excess = Excess {
        code: Code::SCATTERED_FETCHES,
        space: Space::Texture,
        allowed: EDGE_SECTORS,
        what: |_| "scattered reads of a texture".into(),
        counted: "; of a filtered read the first element and its neighbour in the row count",
        explain: |_| {
            Explained {
            why: "an array lies in tiles: a sector has 16 bytes of each of two rows, so that neighbours in both directions share sectors; what the lanes read lies in many tiles, and most of each is fetched for nothing".into(),
            addresses: None,
            help: note(
                "help",
                "let a warp read a part of the picture that is compact in both directions: neighbouring lanes neighbouring elements, in blocks of 8x4 or 16x2 threads for turned pictures; of a picture that is read much smaller than it is, take a level of detail",
            ),
        }
        },
    };
    excess.findings(profile)
}

impl Excess {
    fn findings(&self, profile: &Profile) -> Vec<Finding> {
        let spots = profile.spots.iter();
        let spots = spots.filter(|spot| self.is_reported(&spot.tally));
        spots
            .filter_map(|spot| self.finding(profile, spot))
            .collect()
    }

    fn is_reported(&self, tally: &Tally) -> bool {
        let sectors = tally.sectors;
        tally.space == Some(self.space)
            && tally.requests >= LEAST_REQUESTS
            && sectors.touched > LEAST_EXCESS * sectors.ideal + self.allowed * tally.requests
    }

    fn finding(&self, profile: &Profile, spot: &Spot) -> Option<Finding> {
        let (tally, worst) = (&spot.tally, spot.tally.worst.as_ref()?);
        let (sectors, requests) = (tally.sectors, tally.requests);
        let per = |n: u64| number(n as f64 / requests as f64);
        let title = format!(
            "{}: {} sectors per request where {} would do ({} efficient)",
            (self.what)(tally),
            per(sectors.touched),
            per(sectors.ideal),
            percent(sectors.ideal, sectors.touched)
        );
        let mut report = warning(self.code, title, Some(&spot.place), requests);
        let (touched, _) = worst.cost;
        if let Some(side) = report.sides.first_mut() {
            side.who = Some(first_of(profile, worst));
            side.did = format!(
                "{} with its warp {touched} sectors of {SECTOR_BYTES} bytes for {} bytes",
                moves(tally.kind),
                worst.request.sectors().wanted
            );
        }
        let explained = (self.explain)(worst);
        let counts = format!(
            "{} requests: {} bytes moved, {} wanted{}",
            grouped(requests),
            grouped(sectors.touched * SECTOR_BYTES),
            grouped(sectors.wanted),
            self.counted
        );
        report.notes = vec![note("why", explained.why)];
        report.notes.extend(explained.addresses);
        report.notes.extend([note("note", counts), explained.help]);
        let excess = (sectors.touched - sectors.ideal) as f64;
        Some(Finding {
            report,
            cycles: excess / SECTORS_PER_CYCLE,
        })
    }
}

fn advice(pattern: Pattern, bytes: u32) -> Note {
    let element = i64::from(bytes.max(1));
    let text = match pattern {
        Pattern::Stride(stride) | Pattern::Mostly { stride, .. } if stride.abs() > 64 => format!(
            "the distance of {stride} bytes ({} elements) is probably a row: let the lanes of a warp (threadIdx.x) run along the row \
             and other threads or a loop down the column, or read a tile along the rows into shared memory and take the columns from there",
            number(stride as f64 / element as f64)
        ),
        Pattern::Stride(stride) | Pattern::Mostly { stride, .. } if stride.abs() > element => format!(
            "each element of {element} bytes is {stride} bytes from the next: keep each field in an array of its own \
             (structure of arrays), or let each lane load its {stride} bytes as one vector of up to 16"
        ),
        _ => "sort or group the indices so that neighbouring lanes get neighbouring elements, or stage the data in shared memory".into(),
    };
    note("help", text)
}

pub(super) fn bank_conflicts(profile: &Profile) -> Vec<Finding> {
    let dear = |tally: &Tally| {
        tally.space == Some(Space::Shared)
            && tally.requests >= LEAST_REQUESTS
            && tally.passes.made >= LEAST_EXCESS * tally.passes.ideal
    };
    let spots = profile.spots.iter().filter(|spot| dear(&spot.tally));
    let finding = |spot: &Spot| {
        let (tally, worst) = (&spot.tally, spot.tally.worst.as_ref()?);
        let passes = tally.passes;
        let title = format!(
            "{}-way bank conflict in shared memory: each {} takes {} passes where {} would do",
            passes.ways,
            does(tally.kind),
            number(passes.made as f64 / tally.requests as f64),
            number(passes.ideal as f64 / tally.requests as f64)
        );
        let mut report = warning(
            Code::BANK_CONFLICT,
            title,
            Some(&spot.place),
            tally.requests,
        );
        if let Some(side) = report.sides.first_mut() {
            side.who = Some(first_of(profile, worst));
            side.did = format!(
                "{} with its warp different words of the same banks, in {} passes",
                moves(tally.kind),
                worst.cost.0
            );
        }
        let pattern = Pattern::of(&worst.request);
        report.notes = vec![
            note(
                "why",
                format!(
                    "word i (4 bytes) of shared memory is in bank i % {BANKS}, and a bank gives one word per pass; {pattern}: {}",
                    shared_banks(&worst.request)
                ),
            ),
            note("note", addresses(worst, "+")),
            note(
                "note",
                format!(
                    "{} requests: {} passes, {} without conflicts",
                    grouped(tally.requests),
                    grouped(passes.made),
                    grouped(passes.ideal)
                ),
            ),
            cure(&worst.request),
        ];
        Some(Finding {
            report,
            cycles: (passes.made - passes.ideal) as f64,
        })
    };
    spots.filter_map(finding).collect()
}

fn shared_banks(request: &Request) -> String {
    let mut used = [false; BANKS];
    for (_, at) in request.lanes() {
        used[bank(at)] = true;
    }
    let n_used = used.into_iter().filter(|used| *used).count();
    let n_lanes = request.mask.count_ones();
    format!("the first words of {n_lanes} lanes lie in {n_used} of {BANKS} banks")
}

fn cure(request: &Request) -> Note {
    let found = padding(request);
    note(
        "help",
        match found {
            Some((row, by, made)) => format!(
                "pad the rows: with {} instead of {row} elements per row the same request takes {made} {}",
                row + by,
                if made == 1 { "pass" } else { "passes" }
            ),
            None => "let neighbouring lanes access neighbouring words, or exchange the bits of the index (swizzle: column ^ row)".into(),
        },
    )
}

/// Where the lanes of the worst request access.
fn addresses(worst: &Example, prefix: &str) -> String {
    let request = &worst.request;
    let lowest = request.lanes().map(|(_, at)| at).min().unwrap_or(0);
    let shown: Vec<_> = request
        .lanes()
        .take(4)
        .map(|(lane, at)| match prefix {
            "+" => format!("lane {lane} at +{}", at - lowest),
            _ => format!("lane {lane} at {at:#x}"),
        })
        .collect();
    let more = request.mask.count_ones() as usize - shown.len();
    let more = if more > 0 {
        format!(", and {more} more lanes")
    } else {
        String::new()
    };
    let (block, warp) = worst.who;
    format!(
        "worst request: warp {warp} of block {block}: {}{more}, {} bytes each",
        shown.join(", "),
        request.bytes
    )
}

fn does(kind: AccessClass) -> &'static str {
    match kind {
        AccessClass::Load => "read",
        AccessClass::Store => "write",
        AccessClass::Atomic => "atomic access",
        AccessClass::Volatile => "volatile access",
    }
}

fn moves(kind: AccessClass) -> &'static str {
    match kind {
        AccessClass::Load => "reads",
        AccessClass::Store => "writes",
        AccessClass::Atomic => "changes",
        AccessClass::Volatile => "accesses",
    }
}
