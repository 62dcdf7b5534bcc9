#include <weft/engine/run_options.hpp>

#include <weft/base/memory/hidden_ptr_operations.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>

#include <utility>

namespace weft {

template struct hidden_operations<run_keeping>;

run_options& run_options::keep_by(run_keeping how)
{
    kept_ = hidden_ptr<run_keeping>{new run_keeping{std::move(how)}};
    return *this;
}

}  // namespace weft
