// The ops on floats of fewer than 8 bits.
#ifndef TEGULA_DIALECTS_CDNA_CDNANARROW_H
#define TEGULA_DIALECTS_CDNA_CDNANARROW_H

#include "dialects/cdna/Cdna.h"

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaNarrowOps.h.inc"

#endif // TEGULA_DIALECTS_CDNA_CDNANARROW_H
