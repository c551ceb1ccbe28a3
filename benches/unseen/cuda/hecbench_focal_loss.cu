// The focal loss of each class of each sample.
extern "C" __global__ void focal_loss(int n, const float *__restrict__ logits, const int *__restrict__ targets, int classes, float gamma, float alpha,
                                      float *__restrict__ losses) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int sample = i / classes, c = i % classes;
        int target = targets[sample];
        float is_class = target == c + 1, is_other = target >= 0 && target != c + 1;
        float x = logits[i];
        float p = 1.0f / (1.0f + expf(-x));
        float if_class = powf(1.0f - p, gamma) * logf(fmaxf(p, 1.17549435e-38f));
        float positive = x >= 0.0f;
        float if_other = powf(p, gamma) * (-x * positive - logf(1.0f + expf(x - 2.0f * x * positive)));
        losses[i] = -is_class * if_class * alpha - is_other * if_other * (1.0f - alpha);
    }
}
