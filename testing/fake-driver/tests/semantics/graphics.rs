//! Objects of OpenGL.

use super::*;

/// A plane of f32, 4 x 2.
const PLANE: u32 = 0x2010_0204;
const TEXTURE_2D: u32 = 0x0DE1;

fn buffer(resource: &mut u64, name: u32, flags: u32) -> i32 {
    unsafe { cuGraphicsGLRegisterBuffer(&raw mut *resource, name, flags) }
}

fn image(resource: &mut u64, (name, target): (u32, u32), flags: u32) -> i32 {
    unsafe { cuGraphicsGLRegisterImage(&raw mut *resource, name, target, flags) }
}

fn map(mut resource: u64) -> i32 {
    unsafe { cuGraphicsMapResources(1, &raw mut resource, 0) }
}

fn unmap(mut resource: u64) -> i32 {
    unsafe { cuGraphicsUnmapResources(1, &raw mut resource, 0) }
}

#[test]
fn a_buffer_has_an_address_while_it_is_mapped() {
    let _guard = context();
    let (mut resource, mut address, mut bytes) = (0, 0, 0);
    for (name, flags) in [(0, 0), (64, 4), (64, 3)] {
        assert_eq!(buffer(&mut resource, name, flags), 1, "{name} {flags}");
    }
    assert_eq!(buffer(&mut resource, 64, 2), 0);
    let place = |resource, address: &mut u64, bytes: &mut usize| unsafe {
        let (address, bytes) = (&raw mut *address, &raw mut *bytes);
        cuGraphicsResourceGetMappedPointer_v2(address, bytes, resource)
    };
    assert_eq!(place(resource, &mut address, &mut bytes), 211);
    assert_eq!(unmap(resource), 211);
    assert_eq!((map(resource), map(resource)), (0, 208));
    assert_eq!(place(resource, &mut address, &mut bytes), 0);
    assert_eq!(bytes, 64);
    let mut array = 0;
    let asked = unsafe { cuGraphicsSubResourceGetMappedArray(&raw mut array, resource, 0, 0) };
    assert_eq!(asked, 212);
    assert_eq!(unsafe { cuMemsetD8Async(address, 7, 64, 0) }, 0);
    assert_eq!(unmap(resource), 0);
    assert_eq!(count(c"graphics resources"), 1);
    assert_eq!(unsafe { cuGraphicsUnregisterResource(resource) }, 0);
    assert_eq!(unsafe { cuGraphicsUnregisterResource(resource) }, 400);
    assert_eq!((count(c"graphics resources"), count(c"complaints")), (0, 0));
}

#[test]
fn an_image_is_an_array_while_it_is_mapped() {
    let _guard = context();
    let (mut resource, mut array, mut address, mut bytes) = (0, 0, 0, 0);
    for (named, flags) in [
        ((0, TEXTURE_2D), 0),
        ((PLANE, 0x1234), 0),
        ((PLANE, 0x806F), 0),           // GL_TEXTURE_3D
        ((0x2030_0204, TEXTURE_2D), 0), // three channels
        ((PLANE, TEXTURE_2D), 16),
    ] {
        assert_eq!(image(&mut resource, named, flags), 1, "{named:?} {flags}");
    }
    assert_eq!(image(&mut resource, (PLANE, TEXTURE_2D), 4), 0);
    let find = |array: &mut u64, level| unsafe {
        cuGraphicsSubResourceGetMappedArray(&raw mut *array, resource, 0, level)
    };
    assert_eq!(find(&mut array, 0), 211);
    assert_eq!(map(resource), 0);
    assert_eq!((find(&mut array, 1), find(&mut array, 0)), (1, 0));
    let place = unsafe {
        cuGraphicsResourceGetMappedPointer_v2(&raw mut address, &raw mut bytes, resource)
    };
    assert_eq!(place, 213);
    assert_eq!(unsafe { cuArrayDestroy(array) }, 400, "not its own");
    assert_eq!(unsafe { cuGraphicsUnregisterResource(resource) }, 0);
    assert_eq!(count(c"complaints"), 1, "still mapped");
}

#[test]
fn the_first_gpu_renders() {
    let _guard = context();
    let (mut n, mut devices) = (0, [7; 2]);
    let to = devices.as_mut_ptr();
    assert_eq!(unsafe { cuGLGetDevices_v2(&raw mut n, to, 2, 9) }, 1);
    assert_eq!(unsafe { cuGLGetDevices_v2(&raw mut n, to, 2, 1) }, 0);
    assert_eq!((n, devices[0]), (1, 0));
}
