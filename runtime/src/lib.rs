//! Host API of warploom: devices, streams, events, memory and launches on the CUDA driver or the emulator
