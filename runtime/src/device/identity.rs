//! Numbers that stay with a board: UUID and place on the PCI bus.

use std::fmt;
use std::str::FromStr;

/// The number that a GPU has for ever, on every machine. CUDA: `CUuuid`; `nvidia-smi -L` prints the same text.
///
/// ```
/// use warploom_runtime::device::Uuid;
/// let uuid: Uuid = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6".parse()?;
/// assert_eq!(uuid.to_string(), "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6");
/// # Ok::<(), warploom_runtime::device::UnknownId>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Uuid(pub [u8; 16]);

/// Where a GPU sits. CUDA: `cuDeviceGetPCIBusId`, whose text this is.
///
/// ```
/// use warploom_runtime::device::PciId;
/// let id: PciId = "65:00.0".parse()?;
/// assert_eq!(id.to_string(), "0000:65:00.0");
/// assert_eq!((id.domain, id.bus, id.slot), (0, 0x65, 0));
/// # Ok::<(), warploom_runtime::device::UnknownId>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PciId {
    /// The domain of buses.
    pub domain: u32,
    /// The bus.
    pub bus: u32,
    /// The slot on the bus.
    pub slot: u32,
}

/// A text that is no UUID of a GPU, or no place on the PCI bus.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("`{given}` is not {wanted}")]
pub struct UnknownId {
    /// The text.
    pub given: String,
    /// What it should be.
    pub wanted: &'static str,
}

/// `GPU-` and 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPU")?;
        for (at, byte) in self.0.iter().enumerate() {
            let dash = if matches!(at, 0 | 4 | 6 | 8 | 10) {
                "-"
            } else {
                ""
            };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Uuid {
    type Err = UnknownId;

    fn from_str(text: &str) -> Result<Uuid, UnknownId> {
        let unknown = || UnknownId {
            given: text.to_owned(),
            wanted: "a GPU's UUID, `GPU-` and 32 hexadecimal digits",
        };
        let digits = text.strip_prefix("GPU-").unwrap_or(text).replace('-', "");
        if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(unknown());
        }
        let number = u128::from_str_radix(&digits, 16).map_err(|_| unknown())?;
        Ok(Uuid(number.to_be_bytes()))
    }
}

/// Domain, bus and slot as hexadecimal numbers, and the function, which is always 0.
impl fmt::Display for PciId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04x}:{:02x}:{:02x}.0",
            self.domain, self.bus, self.slot
        )
    }
}

/// `domain:bus:slot.function`, where domain and function may be left out.
impl FromStr for PciId {
    type Err = UnknownId;

    fn from_str(text: &str) -> Result<PciId, UnknownId> {
        let parts = || {
            let (place, function) = text.split_once('.').unwrap_or((text, "0"));
            let numbers: Option<Vec<u32>> = place.split(':').map(hexadecimal).collect();
            let (domain, bus, slot) = match numbers?[..] {
                [domain, bus, slot] => (domain, bus, slot),
                [bus, slot] => (0, bus, slot),
                _ => return None,
            };
            let fits = bus <= 0xff && slot <= 0x1f && hexadecimal(function)? == 0;
            fits.then_some(PciId { domain, bus, slot })
        };
        parts().ok_or_else(|| UnknownId {
            given: text.to_owned(),
            wanted: "a GPU's place on the PCI bus, such as `0000:65:00.0`",
        })
    }
}

fn hexadecimal(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(text, 16).ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GDV-2
    #[test]
    fn texts_of_uuids_are_read_back() {
        let uuid = Uuid(std::array::from_fn(|i| i as u8 * 17));
        let text = uuid.to_string();
        assert_eq!(text, "GPU-00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(text.parse(), Ok(uuid));
        assert_eq!(text.to_uppercase()[4..].parse(), Ok(uuid));
        for wrong in [
            "",
            "GPU-",
            "GPU-0011",
            "GPU-0011223344556677889900aabbccddeefg",
            "+0112233445566778899aabbccddeeff",
        ] {
            let error = wrong.parse::<Uuid>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}`")), "{error}");
        }
    }

    //@ rows: GDV-2
    #[test]
    fn texts_of_pci_places_are_read_back() {
        let id = PciId {
            domain: 0x1_0000,
            bus: 0xc1,
            slot: 0x1f,
        };
        assert_eq!(id.to_string(), "10000:c1:1f.0");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(
            "C1:00".parse(),
            Ok(PciId {
                domain: 0,
                bus: 0xc1,
                slot: 0
            })
        );
        for wrong in [
            "", "0", "65:00.1", "65:20.0", "100:00.0", "0:0:0:0", "65:+0.0", "65:00.",
        ] {
            let error = wrong.parse::<PciId>().unwrap_err().to_string();
            assert!(error.contains("0000:65:00.0"), "{wrong}: {error}");
        }
    }
}
