// Runs a test once for each instruction set that this machine has and our SIMD code is compiled for.
#pragma once
#include <gtest/gtest.h>
#include "exec/cpu/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace espalier {

template <class F>
void for_each_target(F f) {
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    f();
  }
  hwy::GetChosenTarget().DeInit();
}

}  // namespace espalier
