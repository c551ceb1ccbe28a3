//! What can be registered: buffers and images.

use crate::memory::{ArrayBuffer, DeviceBuffer};

/// What an object of OpenGL is to kernels: a [`DeviceBuffer`] or an [`ArrayBuffer`].
pub trait Object: sealed::Object {}

impl<T: warploom_device_std::Plain> Object for DeviceBuffer<T> {}
impl<T: crate::memory::ArrayElement> Object for ArrayBuffer<T> {}

pub(super) mod sealed {
    use warploom_device_std::Plain;

    use super::super::GraphicsError;
    use crate::buffer::{Buffer, Kind, Memory};
    use crate::cuda::graphics::GraphicsResource;
    use crate::device::Device;
    #[cfg(feature = "dlpack")]
    use crate::interop::dlpack::DeviceType;
    use crate::interop::foreign::{ForeignElements, adopt};
    use crate::memory::{ArrayBuffer, ArrayElement, ArrayOptions, DeviceBuffer};
    use crate::stream::Stream;

    #[expect(private_interfaces, reason = "the trait has no name outside")]
    pub trait Object: Sized {
        /// Length or shape.
        type Described: Copy;

        fn memory(&self) -> &Buffer;

        /// What a resource is that is mapped. `before` is what it was the last time.
        fn of_mapping(
            device: &Device,
            resource: &GraphicsResource,
            described: Self::Described,
            before: Option<Self>,
        ) -> Result<Self, GraphicsError>;

        /// Copies all elements to the host, as bytes; waits.
        fn download(&self, to: &mut Vec<u8>, stream: &Stream) -> Result<(), GraphicsError>;

        /// Lets the host write all elements, and copies them here; waits.
        fn upload(
            &mut self,
            fill: &mut dyn FnMut(&mut [u8]) -> Result<(), GraphicsError>,
            stream: &Stream,
        ) -> Result<(), GraphicsError>;
    }

    /// Elements as bytes.
    fn bytes<T: Plain>(elements: &mut [T]) -> &mut [u8] {
        let bytes = size_of_val(elements);
        // SAFETY: `Plain` has no padding and takes any bytes; the slice is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), bytes) }
    }

    /// So many elements of zeros.
    fn zeros<T: Plain>(len: usize) -> Vec<T> {
        // SAFETY: any bytes are a value of `Plain`.
        vec![unsafe { std::mem::zeroed::<T>() }; len]
    }

    #[expect(private_interfaces, reason = "as above")]
    impl<T: Plain> Object for DeviceBuffer<T> {
        type Described = usize;

        fn memory(&self) -> &Buffer {
            self.buffer()
        }

        fn of_mapping(
            device: &Device,
            resource: &GraphicsResource,
            len: usize,
            before: Option<Self>,
        ) -> Result<Self, GraphicsError> {
            let (address, found) = resource.place()?;
            let wanted = len * size_of::<T>(); // checked when it was registered
            if found < wanted {
                return Err(GraphicsError::TooShort { found, wanted });
            }
            let start: *mut u8 =
                std::ptr::without_provenance_mut(usize::try_from(address).unwrap_or(0));
            // Mostly a resource stays where it is; then its buffer is used again, and nothing waits for its work.
            if let Some(before) = before.filter(|before| before.memory().start() == start) {
                return Ok(before);
            }
            let elements = ForeignElements {
                start,
                len,
                is_for_kernels: true,
                #[cfg(feature = "dlpack")]
                device_type: DeviceType::of(device),
            };
            // SAFETY: the resource is mapped, and its buffer has so many bytes; `Mapped` lets go of the buffer before it is unmapped, or nothing of it out.
            Ok(unsafe { adopt(device, elements, Box::new(|| ()))? })
        }

        fn download(&self, to: &mut Vec<u8>, stream: &Stream) -> Result<(), GraphicsError> {
            to.extend_from_slice(bytes(&mut self.to_vec(stream)?));
            Ok(())
        }

        fn upload(
            &mut self,
            fill: &mut dyn FnMut(&mut [u8]) -> Result<(), GraphicsError>,
            stream: &Stream,
        ) -> Result<(), GraphicsError> {
            let mut elements = zeros::<T>(self.len());
            fill(bytes(&mut elements))?;
            Ok(self.as_slice_mut().copy_from(0, &elements, stream)?)
        }
    }

    #[expect(private_interfaces, reason = "as above")]
    impl<T: ArrayElement> Object for ArrayBuffer<T> {
        type Described = ArrayOptions;

        fn memory(&self) -> &Buffer {
            self.buffer()
        }

        fn of_mapping(
            device: &Device,
            resource: &GraphicsResource,
            options: ArrayOptions,
            before: Option<Self>,
        ) -> Result<Self, GraphicsError> {
            drop(before); // its textures and surfaces are of the earlier mapping
            let memory = Memory::Array(resource.array()?);
            let len = options.shape().extent().elements().unwrap_or(0);
            let bytes = len.saturating_mul(size_of::<T>());
            let buffer = Buffer::of_memory(device, memory, Kind::Foreign, bytes);
            Ok(ArrayBuffer::of_buffer(buffer, options))
        }

        fn download(&self, to: &mut Vec<u8>, stream: &Stream) -> Result<(), GraphicsError> {
            to.extend_from_slice(bytes(&mut self.to_vec(stream)?));
            Ok(())
        }

        fn upload(
            &mut self,
            fill: &mut dyn FnMut(&mut [u8]) -> Result<(), GraphicsError>,
            stream: &Stream,
        ) -> Result<(), GraphicsError> {
            let len = self.extent().elements().unwrap_or(0); // an array is there
            let mut elements = zeros::<T>(len);
            fill(bytes(&mut elements))?;
            Ok(self.copy_from(&elements, stream)?)
        }
    }
}
