// ESPALIER_API marks what the shared library shows; everything else is hidden. A type that is thrown or has a virtual
// function is marked as a whole: class ESPALIER_API ShapeError.
#pragma once

#define ESPALIER_API __attribute__((visibility("default")))
