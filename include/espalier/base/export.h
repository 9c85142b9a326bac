// ESPALIER_API exports a symbol from the shared library; everything else is hidden. A type that is thrown or has
// virtual functions is exported as a whole: class ESPALIER_API ShapeError.
#pragma once

#define ESPALIER_API __attribute__((visibility("default")))
