//! The functions of libpeers.so: CUB's algorithms behind one signature, which `cuda/peers.cuh` describes.

use std::ffi::{CString, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::driver::RawStream;

/// As in `cuda/peers.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments {
    inputs: [u64; Arguments::PLACES],
    outputs: [u64; Arguments::PLACES],
    n: u64,
    m: u64,
}

/// What all functions of the library are.
pub(crate) type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const Arguments, RawStream) -> c_int;

/// Why a peer cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PeerError {
    #[error("cannot load the peers from {path}; benches/algorithms/build-peers.sh makes them")]
    Library {
        path: PathBuf,
        #[source]
        source: libloading::Error,
    },
    #[error("cannot read {path}, which benches/algorithms/build-peers.sh writes beside the peers")]
    MadeBy {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("there is no peer `{name}`; a file in benches/algorithms/cuda must have it")]
    Missing { name: String },
    #[error("`{name}` failed with CUDA error {code}")]
    Failed { name: String, code: c_int },
    #[error("a peer takes at most {limit} inputs and outputs, not {given}")]
    TooMany { given: usize, limit: usize },
}

impl Arguments {
    const PLACES: usize = 4;

    pub(crate) fn new(
        inputs: &[u64],
        outputs: &[u64],
        n: usize,
        m: u64,
    ) -> Result<Self, PeerError> {
        let mut arguments = Arguments {
            n: n as u64,
            m,
            ..Arguments::default()
        };
        for (to, from) in [
            (&mut arguments.inputs, inputs),
            (&mut arguments.outputs, outputs),
        ] {
            let places = to.get_mut(..from.len());
            let places = places.ok_or(PeerError::TooMany {
                given: from.len(),
                limit: Self::PLACES,
            })?;
            places.copy_from_slice(from);
        }
        Ok(arguments)
    }
}

/// The library. Its runtime uses the context that is current, the primary one, which the driver of the session made so.
pub(crate) struct Peers {
    library: Library,
    /// Which CUB, and what compiled it.
    pub(crate) made_by: String,
}

impl Peers {
    pub(crate) fn open(path: &Path) -> Result<Self, PeerError> {
        let beside = path.with_file_name("peers.txt");
        let made_by = fs::read_to_string(&beside).map_err(|source| PeerError::MadeBy {
            path: beside,
            source,
        })?;
        // The loader takes a name without a folder for one of the system's libraries.
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // SAFETY: its initialisation registers kernels, and does nothing else.
        let library = unsafe { Library::new(&absolute) };
        Ok(Self {
            library: library.map_err(|source| PeerError::Library {
                path: absolute,
                source,
            })?,
            made_by: made_by.trim().to_owned(),
        })
    }

    /// The function of that name.
    pub(crate) fn function(&self, name: &str) -> Result<Function, PeerError> {
        let missing = || PeerError::Missing {
            name: name.to_owned(),
        };
        let symbol = CString::new(name).map_err(|_| missing())?;
        // SAFETY: all functions that the library exports have this type.
        let function = unsafe { self.library.get::<Function>(symbol.as_bytes_with_nul()) };
        Ok(*function.map_err(|_| missing())?)
    }

    /// A peer with its arguments.
    ///
    /// # Safety
    /// `arguments` are what the function takes, of enough elements, all in memory of the device of `stream`, and stay so until the work of the last call has ended.
    pub(crate) unsafe fn peer(
        &self,
        name: &str,
        arguments: Arguments,
        stream: RawStream,
    ) -> Result<Peer<'_>, PeerError> {
        Ok(Peer {
            function: self.function(name)?,
            name: name.to_owned(),
            arguments,
            stream,
            _library: self,
        })
    }
}

/// One algorithm of the library, for certain inputs and outputs.
pub(crate) struct Peer<'l> {
    function: Function,
    name: String,
    arguments: Arguments,
    stream: RawStream,
    _library: &'l Peers,
}

impl Peer<'_> {
    /// How much memory it needs.
    pub(crate) fn workspace_bytes(&self) -> Result<usize, PeerError> {
        let mut bytes = 0;
        self.call(ptr::null_mut(), &mut bytes)?;
        Ok(bytes)
    }

    /// Queues it, with a workspace of that many bytes at a device address.
    pub(crate) fn queue(&self, workspace: u64, mut bytes: usize) -> Result<(), PeerError> {
        self.call(
            ptr::with_exposed_provenance_mut(workspace as usize),
            &mut bytes,
        )
    }

    fn call(&self, workspace: *mut c_void, bytes: &mut usize) -> Result<(), PeerError> {
        // SAFETY: the library is loaded, and `Peers::peer` was promised that arguments and stream fit.
        let code =
            unsafe { (self.function)(workspace, bytes, &raw const self.arguments, self.stream) };
        match code {
            0 => Ok(()),
            code => Err(PeerError::Failed {
                name: self.name.clone(),
                code,
            }),
        }
    }
}
