//! What an API drew.

/// A picture, from its upper left corner on, in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub extent: [u32; 2],
    /// Red, green, blue and alpha of all pixels.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Writes a PNG without the alpha channel.
    ///
    /// # Errors
    /// Those of the file system and of the encoder.
    pub fn write(&self, path: &std::path::Path) -> std::io::Result<()> {
        let file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let [width, height] = self.extent;
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let rgb = self.pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]);
        let rgb: Vec<u8> = rgb.collect();
        let mut writer = encoder.write_header()?;
        Ok(writer.write_image_data(&rgb)?)
    }
}
