//! Makes pictures for people out of numbers: the histogram as bars, edges as white on black.

/// Width of the drawn histogram: two columns for each of 256 grey values.
pub(crate) const CHART_WIDTH: u32 = 512;
const CHART_HEIGHT: usize = 256;

/// Bars from the bottom, as high as the square root of the count: one full bin (a black background) hides no other.
pub(crate) fn histogram(bins: &[u32]) -> Vec<u8> {
    let height = |count: u32| f64::from(count).sqrt();
    let fullest = bins.iter().copied().map(height).fold(1.0, f64::max);
    // Rounded up, so that a bin with a single pixel shows.
    let bars: Vec<usize> = bins
        .iter()
        .map(|&count| (height(count) / fullest * CHART_HEIGHT as f64).ceil() as usize)
        .collect();
    let ink = |row: usize, value: usize| {
        let filled = bars
            .get(value)
            .is_some_and(|&bar| CHART_HEIGHT - row <= bar);
        if filled { 32 } else { 240 }
    };
    (0..CHART_HEIGHT)
        .flat_map(|row| (0..CHART_WIDTH as usize).map(move |column| (row, column / 2)))
        .map(|(row, value)| ink(row, value))
        .collect()
}

/// The strongest edge becomes white.
pub(crate) fn edges(lengths: &[f32]) -> Vec<u8> {
    let strongest = lengths.iter().copied().fold(1.0, f32::max);
    lengths
        .iter()
        .map(|length| (length * 255.0 / strongest).round() as u8)
        .collect()
}

/// Rounds to the nearest grey level.
pub(crate) fn levels(grey: &[f32]) -> Vec<u8> {
    grey.iter().map(|v| v.round() as u8).collect()
}
