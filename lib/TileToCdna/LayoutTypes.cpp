// Conversions between #cdna.layout and tegula::Layout.
#include "LayoutTypes.h"

using namespace mlir;

namespace tegula::cdna {

RankedTensorType withLayout(Type type, const Layout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

} // namespace tegula::cdna
