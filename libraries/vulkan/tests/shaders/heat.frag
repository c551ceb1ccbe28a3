#version 450
// The temperature of this pixel, 0 to 1, as a colour from blue to red.
layout(set = 0, binding = 0) uniform sampler2D field;
layout(location = 0) out vec4 pixel;

void main() {
    float t = texelFetch(field, ivec2(gl_FragCoord.xy), 0).r;
    pixel = vec4(t, 1.0 - abs(2.0 * t - 1.0), 1.0 - t, 1.0);
}
