//! What each side finds in an object is what the other one left.

use glow::HasContext;
use warploom::device_std::F16;
use warploom::{ArrayElement, ArrayShape, Stream};
use warploom_gl::{Access, OpenGl, ReadOnly, ReadWrite, WriteDiscard, glow};

use crate::{assert_silent, opengl};

fn stream(opengl: &OpenGl) -> Stream {
    opengl.cuda().stream().unwrap()
}

/// A buffer as OpenGL finds it.
fn read(opengl: &OpenGl, buffer: glow::Buffer, bytes: usize) -> Vec<u8> {
    let (f, mut found) = (opengl.functions().unwrap(), vec![0; bytes]);
    let size = i32::try_from(bytes).unwrap();
    // By way of a buffer for that: drivers warn of the host's reads of one that is in video memory.
    // SAFETY: the context is current, and the buffer has so many bytes.
    unsafe {
        let staged = f.create_buffer().unwrap();
        let (from, to) = (glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER);
        f.bind_buffer(from, Some(buffer));
        f.bind_buffer(to, Some(staged));
        f.buffer_data_size(to, size, glow::STREAM_READ);
        f.copy_buffer_sub_data(from, to, 0, 0, size);
        f.get_buffer_sub_data(to, 0, &mut found);
        f.delete_buffer(staged);
    }
    found
}

fn write(opengl: &OpenGl, buffer: glow::Buffer, bytes: &[u8]) {
    // SAFETY: as above.
    unsafe {
        let f = opengl.functions().unwrap();
        f.named_buffer_sub_data_u8_slice(buffer, 0, bytes);
    }
}

#[test]
fn a_buffer_has_what_the_other_side_wrote_in_each_turn() {
    let Some(opengl) = opengl() else { return };
    let (one, two) = (stream(&opengl), stream(&opengl));
    let mut shared = opengl.shared_buffer::<u8, _>(1001, ReadWrite).unwrap();
    for turn in 0..20u8 {
        write(&opengl, shared.buffer(), &[turn; 1001]);
        let mut ours = shared.map(&one).unwrap();
        assert_eq!(ours.to_vec(&two).unwrap(), [turn; 1001]);
        ours.as_slice_mut().fill(turn + 100, &two).unwrap();
        shared = ours.unmap(&one).unwrap();
        let found = read(&opengl, shared.buffer(), 1001);
        assert_eq!(found, [turn + 100; 1001]);
    }
    drop(shared);
    assert_silent(&opengl);
}

#[test]
fn what_is_mapped_to_be_read_or_written_alone_has_its_contents() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    let shared = opengl.shared_buffer::<u8, _>(64, ReadOnly).unwrap();
    write(&opengl, shared.buffer(), &[5; 64]);
    let ours = shared.map(&stream).unwrap();
    assert_eq!(ours.to_vec(&stream).unwrap(), [5; 64]);
    let shared = ours.unmap(&stream).unwrap();
    assert_eq!(read(&opengl, shared.buffer(), 64), [5; 64]);

    let shared = opengl.shared_buffer::<u8, _>(64, WriteDiscard).unwrap();
    let mut ours = shared.map(&stream).unwrap();
    ours.as_slice_mut().fill(6, &stream).unwrap();
    let shared = ours.unmap(&stream).unwrap();
    assert_eq!(read(&opengl, shared.buffer(), 64), [6; 64]);
    assert_silent(&opengl);
}

/// Writes texels by kernels' side, reads them by OpenGL's and by kernels' again. Odd sizes: rows are no multiple of four bytes.
fn texels_stay<T: ArrayElement + PartialEq + std::fmt::Debug>(
    opengl: &OpenGl,
    shape: ArrayShape,
    (format, channel): (u32, u32),
    texel: impl Fn(usize) -> T,
) {
    let stream = stream(opengl);
    let shared = opengl.shared_texture::<T, _>(shape.with_surface(), ReadWrite);
    let mut ours = shared.unwrap().map(&stream).unwrap();
    let texels: Vec<T> = (0..shape.extent().elements().unwrap()).map(texel).collect();
    let mut level = ours.as_level_mut();
    level.as_slice_mut().copy_from(&texels, &stream).unwrap();
    let shared = ours.unmap(&stream).unwrap();
    let is_deep = matches!(shape, ArrayShape::Space { .. });
    let target = if is_deep {
        glow::TEXTURE_3D
    } else {
        glow::TEXTURE_2D
    };
    let mut found = vec![0; size_of_val(&texels[..])];
    // SAFETY: the context is current, and `found` has room for all texels, in rows without gaps.
    unsafe {
        let f = opengl.functions().unwrap();
        f.bind_texture(target, shared.texture());
        f.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
        let to = glow::PixelPackData::Slice(Some(&mut found));
        f.get_tex_image(target, 0, format, channel, to);
        f.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
    }
    // SAFETY: numbers without padding.
    let wanted = unsafe { std::slice::from_raw_parts(texels.as_ptr().cast::<u8>(), found.len()) };
    assert_eq!(found, wanted, "{shape} of {}", std::any::type_name::<T>());
    let ours = shared.map(&stream).unwrap();
    assert_eq!(ours.to_vec(&stream).unwrap(), texels);
}

#[test]
fn textures_of_every_element_have_their_texels() {
    let Some(opengl) = opengl() else { return };
    let plane = ArrayShape::from((37, 5));
    let (r, rg, rgba) = (glow::RED_INTEGER, glow::RG_INTEGER, glow::RGBA_INTEGER);
    let float = glow::FLOAT;
    texels_stay::<u8>(&opengl, plane, (r, glow::UNSIGNED_BYTE), |i| i as u8);
    texels_stay::<[u8; 4]>(&opengl, plane, (rgba, glow::UNSIGNED_BYTE), |i| {
        [i as u8; 4]
    });
    texels_stay::<i8>(&opengl, plane, (r, glow::BYTE), |i| i as i8);
    texels_stay::<[u16; 2]>(&opengl, plane, (rg, glow::UNSIGNED_SHORT), |i| {
        [i as u16, 7]
    });
    texels_stay::<i16>(&opengl, plane, (r, glow::SHORT), |i| i as i16);
    texels_stay::<u32>(&opengl, plane, (r, glow::UNSIGNED_INT), |i| i as u32);
    texels_stay::<[i32; 4]>(&opengl, plane, (rgba, glow::INT), |i| [i as i32; 4]);
    texels_stay::<F16>(&opengl, plane, (glow::RED, glow::HALF_FLOAT), |i| {
        F16::from_f32(i as f32)
    });
    texels_stay::<f32>(&opengl, plane, (glow::RED, float), |i| i as f32 * 0.5);
    texels_stay::<[f32; 2]>(&opengl, plane, (glow::RG, float), |i| [i as f32, -1.0]);
    texels_stay::<[f32; 4]>(&opengl, plane, (glow::RGBA, float), |i| [i as f32; 4]);
    assert_silent(&opengl);
}

#[test]
fn textures_of_three_dimensions_have_their_texels() {
    let Some(opengl) = opengl() else { return };
    let space = ArrayShape::from((5, 3, 7));
    let float = (glow::RED, glow::FLOAT);
    texels_stay::<f32>(&opengl, space, float, |i| i as f32);
    let bytes = (glow::RGBA_INTEGER, glow::UNSIGNED_BYTE);
    texels_stay::<[u8; 4]>(&opengl, space, bytes, |i| [i as u8, 1, 2, 3]);
    assert_silent(&opengl);
}

#[test]
fn what_opengl_draws_to_a_renderbuffer_is_the_kernels_and_back() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    let shared = opengl
        .shared_renderbuffer::<[f32; 4], _>(9, 5, ReadWrite)
        .unwrap();
    let f = opengl.functions().unwrap();
    // SAFETY: the context is current, and the renderbuffer is OpenGL's.
    let framebuffer = unsafe {
        let framebuffer = f.create_framebuffer().unwrap();
        let (target, to) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        f.bind_framebuffer(target, Some(framebuffer));
        f.framebuffer_renderbuffer(target, to, glow::RENDERBUFFER, shared.renderbuffer());
        f.clear_buffer_f32_slice(glow::COLOR, 0, &[0.25, 0.5, 2.0, 1.0]);
        framebuffer
    };
    let mut ours = shared.map(&stream).unwrap();
    assert_eq!(ours.to_vec(&stream).unwrap(), [[0.25, 0.5, 2.0, 1.0]; 45]);
    let pixels: Vec<[f32; 4]> = (0..45).map(|i| [i as f32, 0.0, 1.0, 0.5]).collect();
    let mut level = ours.as_level_mut();
    level.as_slice_mut().copy_from(&pixels, &stream).unwrap();
    let shared = ours.unmap(&stream).unwrap();
    let mut found = vec![0; 45 * 16];
    // SAFETY: as above; `found` has room for all pixels.
    unsafe {
        let to = glow::PixelPackData::Slice(Some(&mut found));
        f.read_pixels(0, 0, 9, 5, glow::RGBA, glow::FLOAT, to);
        f.delete_framebuffer(framebuffer);
    }
    let found: Vec<f32> = found
        .as_chunks()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect();
    assert_eq!(found, pixels.concat());
    drop(shared);
    assert_silent(&opengl);
}

/// Copies do not depend on what the program set, and leave it.
fn with_other_settings(opengl: &OpenGl, access: impl Access) {
    let stream = stream(opengl);
    let f = opengl.functions().unwrap();
    let shared = opengl.shared_texture::<u8, _>((3, 2), access).unwrap();
    // SAFETY: the context is current; a buffer for pixels that is too small for all of them.
    let (texture, buffer) = unsafe {
        let texture = f.create_texture().unwrap();
        f.bind_texture(glow::TEXTURE_2D, Some(texture));
        let buffer = f.create_named_buffer().unwrap();
        f.named_buffer_data_size(buffer, 1, glow::STATIC_DRAW);
        for (target, length) in [
            (glow::PIXEL_PACK_BUFFER, glow::PACK_ROW_LENGTH),
            (glow::PIXEL_UNPACK_BUFFER, glow::UNPACK_ROW_LENGTH),
        ] {
            f.bind_buffer(target, Some(buffer));
            f.pixel_store_i32(length, 1000);
        }
        (texture, buffer)
    };
    let shared = shared.map(&stream).unwrap().unmap(&stream).unwrap();
    // SAFETY: as above.
    unsafe {
        let bound = f.get_parameter_buffer(glow::PIXEL_PACK_BUFFER_BINDING);
        assert_eq!(bound, Some(buffer));
        let bound = f.get_parameter_buffer(glow::PIXEL_UNPACK_BUFFER_BINDING);
        assert_eq!(bound, Some(buffer));
        assert_eq!(f.get_parameter_i32(glow::PACK_ROW_LENGTH), 1000);
        assert_eq!(f.get_parameter_i32(glow::UNPACK_ROW_LENGTH), 1000);
        let bound = f.get_parameter_texture(glow::TEXTURE_BINDING_2D);
        assert_eq!(bound, Some(texture));
        f.delete_buffer(buffer);
        f.delete_texture(texture);
    }
    drop(shared);
}

#[test]
fn copies_do_not_depend_on_what_the_program_set() {
    let Some(opengl) = opengl() else { return };
    with_other_settings(&opengl, ReadWrite);
    assert_silent(&opengl);
}
