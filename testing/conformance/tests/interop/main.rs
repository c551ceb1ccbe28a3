//! Memory and tensors of others in kernels, on every back end.

mod pods; // elements that bytemuck vouches for

use warploom::interop::dlpack::Tensor;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

#[kernel]
fn triple(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y *= 3.0;
    }
}

#[kernel]
fn add(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()];
    }
}

//@ rows: GMX-5
#[test]
fn a_tensor_goes_through_a_kernel_out_and_in_again() {
    on_each_device(|device, stream| {
        let mut x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
        triple::launch(stream, Launch::covering(6), &mut x)?;
        let address = x.raw_ptr();
        let given = x.into_dlpack(&[2, 3], stream)?.into_raw_versioned();
        // SAFETY: ours, taken once.
        let tensor = unsafe { Tensor::from_raw_versioned(given)? };
        assert_eq!(tensor.shape(), [2, 3]);
        let mut x = tensor.into_buffer::<f32>(device)?;
        assert_eq!(x.raw_ptr(), address);
        triple::launch(stream, Launch::covering(6), &mut x)?;
        assert_eq!(x.to_vec(stream)?, [9.0, 18.0, 27.0, 36.0, 45.0, 54.0]);
        Ok(())
    });
}

//@ rows: GMX-5
#[test]
fn kernels_read_a_read_only_tensor() {
    on_each_device(|device, stream| {
        let x = device.upload(&[1.0f32; 100])?;
        let x = x
            .into_dlpack(&[100], stream)?
            .into_read_only::<f32>(device)?;
        let mut y = device.upload(&[0.5f32; 100])?;
        add::launch(stream, Launch::covering(100), &*x, &mut y)?;
        assert_eq!(y.to_vec(stream)?, [1.5; 100]);
        Ok(())
    });
}

//@ rows: GMX-3
#[test]
fn kernels_use_memory_by_its_number_in_order() {
    on_each_device(|device, stream| {
        let mut whole = device.upload(&[1.0f32; 64])?;
        triple::launch(stream, Launch::covering(64), &mut whole)?;
        let other = device.stream()?;
        whole.order_on(&other)?;
        // SAFETY: the second half of `whole`, which is not used until `half` is dropped; its work on `other` is ordered after the work before.
        let mut half = unsafe {
            let address = whole.raw_ptr() + 32 * 4;
            DeviceBuffer::<f32>::from_raw_parts(device, address, 32, || ())?
        };
        triple::launch(&other, Launch::covering(32), &mut half)?;
        drop(half);
        let all = whole.to_vec(stream)?;
        assert_eq!((&all[..32], &all[32..]), (&[3.0; 32][..], &[9.0; 32][..]));
        Ok(())
    });
}
