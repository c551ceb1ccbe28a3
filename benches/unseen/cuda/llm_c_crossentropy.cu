// Cross entropy of each position, and its gradient through softmax.
extern "C" __global__ void crossentropy_forward(float *__restrict__ losses, const float *__restrict__ probabilities, const int *__restrict__ targets,
                                                int positions, int vocabulary) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < positions) losses[i] = -logf(probabilities[i * vocabulary + targets[i]]);
}

extern "C" __global__ void crossentropy_softmax_backward(float *__restrict__ d_logits, const float *__restrict__ d_losses,
                                                         const float *__restrict__ probabilities, const int *__restrict__ targets, int positions,
                                                         int vocabulary) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= positions * vocabulary) return;
    int position = i / vocabulary, word = i % vocabulary;
    float indicator = word == targets[position] ? 1.0f : 0.0f;
    d_logits[i] += (probabilities[i] - indicator) * d_losses[position];
}
