// Declares what a C++ source calls and a functor source defines.
#pragma once

#include <pinhole/pinhole.hpp>

void scale(const pinhole::stream_ref& work, pinhole::view<float> values, float factor);
