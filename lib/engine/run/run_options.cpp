#include <weft/engine/run_options.hpp>

#include <weft/base/memory/hidden_ptr_operations.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>

#include <utility>

namespace weft {

template struct hidden_operations<save_options>;

run_options& run_options::save_by(save_options options)
{
    saves_ = hidden_ptr<save_options>{new save_options{std::move(options)}};
    return *this;
}

}  // namespace weft
