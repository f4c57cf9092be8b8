// Whether anybody looks at what a tile holds beyond the end of its array.
#ifndef TEGULA_LIB_CDNATRANSFORMS_OPERANDTAILS_H
#define TEGULA_LIB_CDNATRANSFORMS_OPERANDTAILS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Whatever the elements of `load` beyond the end of dimension `d` are, memory ends up the same:
/// they only reach elements that the stores behind leave out.
bool isBeyondEndUnseen(LoadOp load, unsigned d);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_OPERANDTAILS_H
