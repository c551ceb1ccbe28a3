#version 450
// A vertex of the sheet: its place, and a colour of four bytes in the fourth word. The camera is a little above and in front of it.
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;

void main() {
    const float s = 0.5, c = 0.8660254; // 30 degrees
    float y = place.y * c - place.z * s;
    float depth = place.y * s + place.z * c + 2.5;
    gl_Position = vec4(place.x * 2.0, -y * 2.0, depth * 0.1, depth);
    gl_PointSize = 1.0;
    shade = colour;
}
