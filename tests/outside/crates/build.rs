fn main() {
    warploom_build::compile();
}
