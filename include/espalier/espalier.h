// Espalier's public interface, whole.
#pragma once

#include <espalier/base/export.h>
#include <espalier/base/version.h>
