use super::{
    Address, Boundary, Coordinates, Detail, Dimensions, Filter, Format, Image, Layout, Level,
    Place, Read, Request, Sampling, SurfaceObject, TextureObject,
};

/// Texels of an image, and how they are read.
struct Fixture {
    words: Vec<u32>,
    texture: TextureObject,
}

impl Fixture {
    /// An image of one channel of `f32`.
    fn floats(dimensions: Dimensions, extents: [u32; 3], texels: &[f32]) -> Self {
        let words = texels.iter().map(|texel| texel.to_bits()).collect();
        Self::new(dimensions, extents, (Format::Float32, 1), words)
    }

    fn new(
        dimensions: Dimensions,
        [width, height, depth]: [u32; 3],
        (format, channels): (Format, u8),
        mut words: Vec<u32>,
    ) -> Self {
        let row_pitch = width as usize * format.bytes() * channels as usize;
        let level = Level {
            offset: 0,
            width,
            height,
            depth,
            row_pitch,
            slice_pitch: row_pitch * height as usize,
        };
        assert!(level.slice_pitch * depth as usize <= words.len() * 4);
        let image = Image {
            base: words.as_mut_ptr().cast(),
            format,
            channels,
            dimensions,
            layout: Layout::Tiles,
            levels: vec![level],
        };
        let sampling = Sampling::default();
        let texture = TextureObject { image, sampling };
        Fixture { words, texture }
    }

    /// Levels of one row each, of 8, 4, 2 and 1 texels of the value of the level.
    fn levels() -> Self {
        let texels: Vec<f32> = (0..4u32)
            .flat_map(|level| vec![level as f32; 8 >> level])
            .collect();
        let mut fixture = Self::floats(Dimensions::D1, [8, 1, 1], &texels);
        let image = &mut fixture.texture.image;
        let mut offset = 0;
        image.levels = (0..4)
            .map(|level| {
                let width = 8u32 >> level;
                let row_pitch = width as usize * 4;
                let found = Level {
                    offset,
                    width,
                    height: 1,
                    depth: 1,
                    row_pitch,
                    slice_pitch: row_pitch,
                };
                offset += row_pitch;
                found
            })
            .collect();
        fixture.with(|sampling| {
            sampling.normalized_coordinates = true;
            sampling.lod_clamp = [0.0, 10.0];
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Sampling)) -> Self {
        change(&mut self.texture.sampling);
        self
    }

    fn bits(&self, request: &Request) -> [u32; 4] {
        let of_image = self.words.as_ptr_range();
        // SAFETY: the image describes the words.
        unsafe {
            self.texture.sample(request, &mut |address, bytes| {
                let end = address.wrapping_add(bytes);
                assert!(address >= of_image.start.cast() && end <= of_image.end.cast());
            })
        }
    }

    fn at(&self, at: [f32; 3]) -> f32 {
        f32::from_bits(self.bits(&Request::new(Coordinates::Float(at)))[0])
    }

    fn x(&self, x: f32) -> f32 {
        self.at([x, 0.0, 0.0])
    }

    fn reads(&self, request: &Request) -> Vec<(usize, usize)> {
        let start = self.words.as_ptr() as usize;
        let mut reads = Vec::new();
        // SAFETY: the image describes the words.
        let _ = unsafe {
            self.texture.sample(request, &mut |address, bytes| {
                reads.push((address as usize - start, bytes));
            })
        };
        reads
    }
}

fn row() -> Fixture {
    Fixture::floats(Dimensions::D1, [4, 1, 1], &[10.0, 20.0, 30.0, 40.0])
}

fn linear(sampling: &mut Sampling) {
    sampling.filter = Filter::Linear;
}

fn normalized(address: Address) -> impl FnOnce(&mut Sampling) {
    move |sampling| {
        sampling.normalized_coordinates = true;
        sampling.address = [address; 3];
    }
}

/// TEX-12.
#[test]
fn clamped_coordinates_find_the_edges() {
    let row = row();
    for (x, texel) in [
        (-5.0, 10.0),
        (0.0, 10.0),
        (3.99, 40.0),
        (4.0, 40.0),
        (11.0, 40.0),
    ] {
        assert_eq!(row.x(x), texel, "{x}");
    }
    let row = row.with(normalized(Address::Clamp));
    for (x, texel) in [
        (-0.1, 10.0),
        (0.999, 40.0),
        (1.0, 40.0),
        (f32::INFINITY, 40.0),
    ] {
        assert_eq!(row.x(x), texel, "{x}");
    }
}

/// TEX-13.
#[test]
fn wrapped_coordinates_repeat_the_image() {
    let row = row().with(normalized(Address::Wrap));
    assert_eq!(row.x(1.25), row.x(0.25));
    assert_eq!(row.x(1.25), 20.0);
    assert_eq!(row.x(-1.25), row.x(0.75));
    assert_eq!(row.x(-1.25), 40.0);
    let row = row.with(linear);
    assert_eq!(row.x(0.0), 25.0);
}

#[test]
fn mirrored_coordinates_repeat_the_image_reversed() {
    let row = row().with(normalized(Address::Mirror));
    assert_eq!(row.x(1.1), 40.0);
    assert_eq!(row.x(1.9), 10.0);
    assert_eq!(row.x(-0.1), 10.0);
    assert_eq!(row.x(2.3), 20.0);
}

#[test]
fn without_normalized_coordinates_images_do_not_repeat() {
    for address in [Address::Wrap, Address::Mirror] {
        let row = row().with(|sampling| sampling.address = [address; 3]);
        assert_eq!((row.x(-3.5), row.x(5.5)), (10.0, 40.0));
    }
}

#[test]
fn the_border_is_beyond_the_edges() {
    let row = row().with(|sampling| {
        sampling.address = [Address::Border; 3];
        sampling.border = [-1.0, 0.0, 0.0, 0.0];
    });
    assert_eq!((row.x(-0.5), row.x(4.0)), (-1.0, -1.0));
    assert_eq!((row.x(0.0), row.x(3.9)), (10.0, 40.0));
}

#[test]
fn a_filter_of_a_row_takes_half_of_the_border() {
    let row = row().with(linear).with(|sampling| {
        sampling.address = [Address::Border; 3];
        sampling.border = [-2.0, 0.0, 0.0, 0.0];
    });
    assert_eq!(row.x(0.5), 4.0);
    let row = row.with(|sampling| sampling.address[1] = Address::Clamp);
    assert_eq!(row.x(0.5), 10.0);
}

/// TEX-14.
#[test]
fn each_dimension_has_its_own_address_mode() {
    let image = Fixture::floats(Dimensions::D2, [2, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
    let image = image.with(|sampling| {
        sampling.normalized_coordinates = true;
        sampling.address = [Address::Clamp, Address::Wrap, Address::Clamp];
    });
    assert_eq!(image.at([1.3, 1.3, 0.0]), 2.0);
}

/// TEX-15.
#[test]
fn a_point_filter_takes_the_texel_below() {
    let texels: Vec<f32> = (0..24u8).map(f32::from).collect();
    let image = Fixture::floats(Dimensions::D3, [4, 3, 2], &texels);
    assert_eq!(image.at([3.999, 1.0, 0.5]), 7.0);
    assert_eq!(image.at([0.0, 2.5, 1.999]), 20.0);
}

/// TEX-16.
#[test]
fn a_linear_filter_takes_the_middle_of_its_neighbours() {
    let texels: Vec<f32> = (0..8u8).map(|i| f32::from(1u8 << i)).collect();
    let average = |n: usize| texels[..n].iter().sum::<f32>() / n as f32;
    let middle = [1.0; 3];
    for (dimensions, extents, n) in [
        (Dimensions::D1, [2, 1, 1], 2),
        (Dimensions::D2, [2, 2, 1], 4),
        (Dimensions::D3, [2, 2, 2], 8),
    ] {
        let image = Fixture::floats(dimensions, extents, &texels).with(linear);
        assert_eq!(image.at(middle), average(n), "{dimensions:?}");
    }
}

/// TEX-17: the nearest 256th, halves up.
#[test]
fn weights_have_eight_bits() {
    let row = Fixture::floats(Dimensions::D1, [2, 1, 1], &[0.0, 256.0]).with(linear);
    for (from_centre, weight) in [
        (0.0, 0.0),
        (0.499, 0.0),
        (0.5, 1.0),
        (1.499, 1.0),
        (200.5, 201.0),
        (255.499, 255.0),
        (255.5, 256.0),
    ] {
        assert_eq!(row.x(0.5 + from_centre / 256.0), weight, "{from_centre}");
    }
}

/// TEX-18: products of weights are rounded so that they add up to 1.
#[test]
fn weights_of_a_plane_add_up() {
    let ones = Fixture::floats(Dimensions::D3, [2, 2, 2], &[1.0; 8]).with(linear);
    for i in 0..4096u16 {
        let at = [i % 16, i / 16 % 16, i / 256].map(|at| 0.5 + f32::from(at) / 15.7);
        assert_eq!(ones.at(at), 1.0);
    }
}

/// TEX-18: of the weights 3/256 and 100/256 along two dimensions the product is 1.17/256.
#[test]
fn products_of_weights_are_rounded() {
    let texels = [0.0, 0.0, 0.0, 256.0];
    let image = Fixture::floats(Dimensions::D2, [2, 2, 1], &texels).with(linear);
    let at = |x: f32, y: f32| image.at([0.5 + x / 256.0, 0.5 + y / 256.0, 0.0]);
    assert_eq!(at(3.0, 100.0), 1.0);
    assert_eq!(at(16.0, 8.0), 1.0);
    assert_eq!(at(15.0, 8.0), 0.0);
    assert_eq!(at(255.0, 255.0), 254.0);
}

/// TEX-19.
#[test]
fn normalized_coordinates_are_scaled_by_the_extent() {
    let [plain, scaled] = [row(), row().with(normalized(Address::Clamp))];
    let [plain, scaled] = [plain.with(linear), scaled.with(linear)];
    for i in 0..=1024u16 {
        let x = f32::from(i) / 256.0;
        assert_eq!(plain.x(x), scaled.x(x / 4.0), "{x}");
    }
}

#[test]
fn normalized_coordinates_have_21_bits() {
    let row = Fixture::floats(Dimensions::D1, [2, 1, 1], &[0.0, 1.0]);
    let row = row.with(normalized(Address::Clamp));
    let unit = 2f32.powi(-21);
    assert_eq!(row.x(0.5 - unit / 8.0), 0.0);
    let row = row.with(normalized(Address::Wrap));
    assert_eq!((row.x(-1e-30), row.x(-f32::from_bits(1))), (1.0, 0.0));
}

/// TEX-24: a table of N values over [0, R] is read at `(N − 1) / R · x + 0.5`.
#[test]
fn a_table_is_looked_up() {
    let row = row().with(linear);
    for range in [4.0, 1.0] {
        let table = |x: f32| row.x(3.0 / range * x + 0.5);
        assert_eq!((table(0.0), table(range)), (10.0, 40.0));
        assert_eq!(table(range / 2.0), 25.0);
    }
}

#[test]
fn what_is_no_coordinate_is_zero() {
    let row = row().with(normalized(Address::Wrap));
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -1e-40] {
        assert_eq!(row.x(x), 10.0, "{x}");
    }
}

/// TEX-4.
#[test]
fn integers_are_read_as_they_are_or_normalized() {
    let extremes = vec![0x807f_ff00, 0x8000_ffff, 0x7fff_0000];
    let read = |format: Format, read: Read, x: f32| {
        let row = Fixture::new(Dimensions::D1, [4, 1, 1], (format, 1), extremes.clone());
        let row = row.with(|sampling| sampling.read = read);
        row.bits(&Request::new(Coordinates::Float([x, 0.0, 0.0])))[0]
    };
    let float = |format, x| f32::from_bits(read(format, Read::NormalizedFloat, x));
    assert_eq!(float(Format::Unsigned8, 0.0), 0.0);
    assert_eq!(float(Format::Unsigned8, 1.0), 1.0);
    assert_eq!(float(Format::Unsigned8, 2.0), 127.0 / 255.0);
    assert_eq!(float(Format::Signed8, 2.0), 1.0);
    assert_eq!(float(Format::Signed8, 3.0), -1.0);
    assert_eq!(float(Format::Unsigned16, 2.0), 1.0);
    assert_eq!(float(Format::Signed16, 3.0), -1.0);
    assert_eq!(read(Format::Signed8, Read::Element, 3.0), -128i32 as u32);
    assert_eq!(
        read(Format::Signed16, Read::Element, 3.0),
        -32_768i32 as u32
    );
    assert_eq!(read(Format::Unsigned8, Read::Element, 3.0), 128);
}

#[test]
fn channels_that_are_not_there_are_zero() {
    let row = Fixture::new(Dimensions::D1, [2, 1, 1], (Format::Float32, 2), vec![7; 4]);
    let found = row.bits(&Request::new(Coordinates::Float([0.0; 3])));
    assert_eq!(found, [7, 7, 0, 0]);
}

#[test]
fn filtered_integers_have_sixteen_bits() {
    let row = Fixture::new(
        Dimensions::D1,
        [2, 1, 1],
        (Format::Unsigned8, 1),
        vec![0x01_00],
    );
    let row = row
        .with(linear)
        .with(|sampling| sampling.read = Read::NormalizedFloat);
    assert_eq!(row.x(0.5 + 1.0 / 256.0), 1.0 / 65_535.0);
    assert_eq!(row.x(0.5 + 128.0 / 256.0), 129.0 / 65_535.0);
}

#[test]
fn sums_of_floats_keep_27_bits_below_the_greatest() {
    let small = 2f32.powi(-27);
    let sum = |a: f32, b: f32| {
        let row = Fixture::floats(Dimensions::D1, [2, 1, 1], &[a, b]).with(linear);
        row.x(1.0)
    };
    assert_eq!(sum(1.0, -1.0 + 2f32.powi(-24)), 2f32.powi(-25));
    assert_eq!(sum(1.0, small), 0.5 + small / 2.0 - small / 2.0);
    assert_eq!(sum(f32::MAX, f32::MAX), f32::MAX);
    // Halves go away from zero.
    assert_eq!(sum(1.0, 1.0 + f32::EPSILON), 1.0 + f32::EPSILON);
    assert_eq!(sum(1e-40, 1e-40).to_bits(), 0);
}

#[test]
fn what_is_no_number_counts_even_with_a_weight_that_was_rounded_to_zero() {
    let texels = [1.0, 1.0, 1.0, f32::NAN];
    let image = Fixture::floats(Dimensions::D2, [2, 2, 1], &texels).with(linear);
    let small = 0.5 + 1.0 / 256.0;
    assert_eq!(image.at([small, small, 0.0]).to_bits(), 0x7fff_ffff);
    assert_eq!(image.at([0.5, small, 0.0]), 1.0);
}

#[test]
fn what_is_infinite_stays_so_with_a_weight_that_was_rounded_to_zero() {
    // 1.0 and +∞ of 16 bits, two to a word.
    let words = vec![0x3c00_3c00, 0x7c00_3c00];
    let image = Fixture::new(Dimensions::D2, [2, 2, 1], (Format::Float16, 1), words).with(linear);
    let small = 0.5 + 1.0 / 256.0;
    assert_eq!(image.at([small, small, 0.0]), f32::INFINITY);
    assert_eq!(image.at([0.5, small, 0.0]), 1.0);
}

#[test]
fn a_plane_whose_part_was_rounded_to_zero_is_not_read() {
    // A plane of 0, one of what is no number, and a coarser level of 1.
    let texels = [0.0, f32::NAN, 1.0];
    let mut image = Fixture::floats(Dimensions::D3, [1, 1, 2], &texels).with(linear);
    let fine = image.texture.image.levels[0];
    image.texture.image.levels.push(Level {
        offset: 8,
        depth: 1,
        ..fine
    });
    let image = image.with(|sampling| {
        sampling.normalized_coordinates = true;
        sampling.mip_filter = Filter::Linear;
        sampling.lod_clamp = [0.0, 1.0];
    });
    // A 256th of the upper plane: of a whole it counts, of a quarter it is nothing.
    let at = |level| {
        let z = (0.5 + 1.0 / 256.0) / 2.0;
        let request = Request {
            detail: Detail::Level(level),
            ..Request::new(Coordinates::Float([0.5, 0.5, z]))
        };
        f32::from_bits(image.bits(&request)[0])
    };
    assert!(at(0.0).is_nan());
    assert_eq!(at(0.75), 0.75);
}

#[test]
fn all_texels_around_a_corner_of_a_seamless_cube_count() {
    // 2 by 2 texels on each face; what is no number is on −y, at the corner between +z and −x.
    let mut texels = [1.0; 24];
    texels[3 * 4] = f32::NAN;
    let cube = Fixture::floats(Dimensions::Cube, [2, 2, 6], &texels).with(linear);
    let cube = cube.with(|sampling| sampling.seamless_cube = true);
    // On +z, in the middle of the lower row, whose weight is whole: in the middle of a texel, and at the left edge, where the four texels have a corner of the cube among them.
    assert_eq!(cube.at([-0.5, -0.5, 1.0]), 1.0);
    assert!(cube.at([-1.0, -0.5, 1.0]).is_nan());
}

#[test]
fn layers_beyond_the_last_are_the_last() {
    let image = Fixture::floats(Dimensions::D1Layered, [1, 1, 3], &[1.0, 2.0, 3.0]);
    let layer = |layer: u32| {
        let request = Request {
            layer,
            ..Request::new(Coordinates::Float([0.0; 3]))
        };
        f32::from_bits(image.bits(&request)[0])
    };
    assert_eq!([0, 1, 2, 3, u32::MAX].map(layer), [1.0, 2.0, 3.0, 3.0, 3.0]);
}

#[test]
fn a_direction_finds_its_face() {
    let faces = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let cube = Fixture::floats(Dimensions::Cube, [1, 1, 6], &faces);
    for (face, direction) in [
        (0.0, [2.0, 1.0, -1.0]),
        (1.0, [-2.0, 1.0, -1.0]),
        (2.0, [0.1, 0.5, 0.4]),
        (3.0, [0.1, -0.5, 0.4]),
        (4.0, [0.1, -0.5, 0.6]),
        (5.0, [0.1, -0.5, -0.6]),
        // Ties.
        (4.0, [1.0, 1.0, 1.0]),
        (2.0, [1.0, 1.0, 0.5]),
        (5.0, [-1.0, 0.0, -1.0]),
    ] {
        assert_eq!(cube.at(direction), face, "{direction:?}");
    }
}

#[test]
fn a_seamless_cube_is_filtered_across_its_edges() {
    let faces = [10.0, 0.0, 20.0, 0.0, 40.0, 0.0];
    let cube = Fixture::floats(Dimensions::Cube, [1, 1, 6], &faces).with(linear);
    let edge = [1.0, 0.0, 1.0];
    assert_eq!(cube.at(edge), 40.0);
    let cube = cube.with(|sampling| sampling.seamless_cube = true);
    assert_eq!(cube.at(edge), 25.0);
    // At a corner the three faces share the weight of the texel that is missing.
    let shares = [85.0 * 10.0, 85.0 * 20.0, 86.0 * 40.0];
    assert_eq!(cube.at([1.0; 3]), shares.iter().sum::<f32>() / 256.0);
}

#[test]
fn a_gather_takes_one_channel_counterclockwise() {
    let image = Fixture::floats(Dimensions::D2, [2, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
    let request = Request {
        gather: Some(0),
        ..Request::new(Coordinates::Float([1.0, 1.0, 0.0]))
    };
    assert_eq!(
        image.bits(&request).map(f32::from_bits),
        [3.0, 4.0, 2.0, 1.0]
    );
}

/// TEX-20.
#[test]
fn fetches_by_number_are_zero_outside() {
    let texels = [1.0, 2.0, 3.0, 4.0];
    let at = |dimensions, extents, at: [i32; 3]| {
        let image = Fixture::floats(dimensions, extents, &texels);
        f32::from_bits(image.bits(&Request::new(Coordinates::Integer(at)))[0])
    };
    let linear = |x| at(Dimensions::Linear, [4, 1, 1], [x, 9, 9]);
    assert_eq!([-1, 0, 3, 4].map(linear), [0.0, 1.0, 4.0, 0.0]);
    let plane = |x, y| at(Dimensions::D2, [2, 2, 1], [x, y, 9]);
    assert_eq!((plane(1, 1), plane(2, 1), plane(0, -1)), (4.0, 0.0, 0.0));
    // The instruction finds nothing in an array of one dimension.
    assert_eq!(at(Dimensions::D1, [4, 1, 1], [1, 0, 0]), 0.0);
}

fn level(fixture: &Fixture, detail: Detail) -> f32 {
    let request = Request {
        detail,
        ..Request::new(Coordinates::Float([0.5, 0.0, 0.0]))
    };
    f32::from_bits(fixture.bits(&request)[0])
}

#[test]
fn the_nearest_level_is_read_or_two_are_mixed() {
    let image = Fixture::levels();
    let found = [-3.0, 0.49, 0.5, 1.6, 9.0].map(|lod| level(&image, Detail::Level(lod)));
    assert_eq!(found, [0.0, 0.0, 1.0, 2.0, 3.0]);
    let image = image.with(|sampling| sampling.mip_filter = Filter::Linear);
    let found = [-3.0, 0.499, 0.5, 1.6, 9.0].map(|lod| level(&image, Detail::Level(lod)));
    // 256ths, cut off.
    assert_eq!(found, [0.0, 127.0 / 256.0, 0.5, 409.0 / 256.0, 3.0]);
}

#[test]
fn a_level_is_biased_and_bounded() {
    let image = Fixture::levels().with(|sampling| {
        sampling.mip_filter = Filter::Linear;
        sampling.lod_bias = 0.5;
        sampling.lod_clamp = [0.75, 2.0];
    });
    assert_eq!(level(&image, Detail::Level(1.0)), 1.5);
    assert_eq!(level(&image, Detail::Level(0.0)), 0.75);
    assert_eq!(level(&image, Detail::Level(2.0)), 2.0);
    // Without a level there is no bias.
    assert_eq!(level(&image, Detail::Base), 0.75);
}

/// What an H100 gave for these is in 256ths.
#[test]
fn gradients_along_one_axis_add_up() {
    let image = Fixture::levels().with(|sampling| sampling.mip_filter = Filter::Linear);
    let found = |dx, dy| {
        let [dx, dy] = [dx, dy].map(|texels: f32| [texels / 8.0, 0.0, 0.0]);
        level(&image, Detail::Gradients { dx, dy })
    };
    assert_eq!((found(2.0, 0.0), found(0.0, 4.0)), (1.0, 2.0));
    let both = 1.0 + 118.0 / 256.0; // of 11/16 of 4
    assert_eq!((found(2.0, 2.0), found(2.0, -2.0)), (both, both));
    assert_eq!(found(4.0, 0.5), 2.0);
}

#[test]
fn only_texels_with_a_part_are_read() {
    let row = row().with(linear);
    let at = |x: f32| Request::new(Coordinates::Float([x, 0.0, 0.0]));
    assert_eq!(row.reads(&at(1.5)), [(4, 4)]);
    assert_eq!(row.reads(&at(2.0)), [(4, 4), (8, 4)]);
}

#[test]
fn surfaces_are_addressed_by_byte() {
    let fixture = Fixture::floats(Dimensions::D2, [3, 2, 1], &[0.0; 6]);
    let base = fixture.texture.image.base;
    let surface = SurfaceObject {
        image: fixture.texture.image.clone(),
    };
    let offset = |at, bytes, boundary| match surface.place(at, bytes, boundary) {
        Place::Inside(address) => Ok(address as usize - base as usize),
        other => Err(other),
    };
    assert_eq!(offset([4, 1, 0], 4, Boundary::Trap), Ok(16));
    assert_eq!(offset([12, 1, 0], 4, Boundary::Trap), Err(Place::Fault));
    assert_eq!(offset([12, 1, 0], 4, Boundary::Zero), Err(Place::Nowhere));
    assert_eq!(offset([12, -1, 0], 4, Boundary::Clamp), Ok(8));
    // The last place of eight aligned bytes in a row of twelve.
    assert_eq!(offset([8, 0, 0], 8, Boundary::Clamp), Ok(0));
    assert_eq!(offset([0, 0, 0], 16, Boundary::Clamp), Err(Place::Nowhere));
    // What is not aligned is an error in each mode.
    assert_eq!(offset([2, 0, 0], 4, Boundary::Zero), Err(Place::Fault));
}
