//! The loaded kernel of a launch, prepared for its shape.

use std::sync::MutexGuard;

use crate::cuda::DriverError;
use crate::device::{Gpu, Submission};
use crate::launch::cache::{LoadedKernel, ValidatedLaunch};
use crate::launch::error::LaunchError;
use crate::launch::request::LaunchRequest;
use crate::launch::residency::check_resident;
use crate::launch_shape::CheckedShape;

/// The device's code of a kernel, loaded and prepared for a launch of this shape. `loaded`: the kernel of the request, if it has one.
pub(super) fn find<'s>(
    gpu: &Gpu,
    submission: &'s mut Submission,
    loaded: &'s mut Option<MutexGuard<'_, LoadedKernel>>,
    request: &LaunchRequest<'_>,
    shape: &CheckedShape,
) -> Result<&'s mut LoadedKernel, LaunchError> {
    let Submission { modules, cache, .. } = submission;
    let found = match loaded {
        Some(loaded) => &mut **loaded,
        None => {
            let kernel = request.kernel;
            let at = match cache.find(kernel, request.caller) {
                Some(at) => at,
                None => {
                    let device = request.device();
                    let function = modules.function(gpu, device, kernel, request.caller)?;
                    let loaded = LoadedKernel::new(function, kernel.params, &device.0.limits);
                    cache.keep(
                        kernel,
                        request.caller,
                        loaded.map_err(|error| request.driver_error(error))?,
                    )
                }
            };
            cache.at(at)
        }
    };
    found.prepare(request, shape)?;
    Ok(found)
}

impl LoadedKernel {
    /// Prepares the kernel for a launch of this shape, or refuses it.
    fn prepare(
        &mut self,
        request: &LaunchRequest<'_>,
        shape: &CheckedShape,
    ) -> Result<(), LaunchError> {
        if self.max_threads != 0 && shape.threads_per_block() > self.max_threads {
            return Err(request.too_many_threads(shape, self.max_threads));
        }
        let dynamic = shape.dynamic_shared_bytes;
        if dynamic > self.dynamic_shared_bytes {
            let limit = request.device().0.limits.shared_bytes_opt_in;
            if dynamic > limit.saturating_sub(self.static_shared_bytes) {
                return Err(request.too_much_shared(shape, self.static_shared_bytes));
            }
            let allowed = self.function.allow_dynamic_shared(dynamic);
            allowed.map_err(|error| request.driver_error(error))?;
            self.dynamic_shared_bytes = dynamic;
        }
        // Whether co-resident blocks have room is asked for anew each time.
        if shape.cluster.at_launch || shape.cooperative {
            return self.prepare_residency(request, shape);
        }
        self.validated = Some(ValidatedLaunch {
            launch: request.launch,
            contract: request.kernel.contract,
            shape: *shape,
        });
        Ok(())
    }

    /// Asks for what clusters and cooperative grids need.
    #[cold]
    fn prepare_residency(
        &self,
        request: &LaunchRequest<'_>,
        shape: &CheckedShape,
    ) -> Result<(), LaunchError> {
        let refused = |error: DriverError| request.driver_error(error);
        if shape.cluster.large {
            self.function.allow_large_clusters().map_err(refused)?;
        }
        // How clusters share the multiprocessors only the driver knows: it refuses grids that have no room.
        if shape.cooperative && shape.cluster.extents == [1; 3] {
            let (threads, shared) = (shape.threads_per_block(), shape.dynamic_shared_bytes);
            let blocks = self.function.blocks_per_multiprocessor(threads, shared);
            let multiprocessors = request.device().0.limits.multiprocessors;
            let limit = u64::from(blocks.map_err(refused)?) * u64::from(multiprocessors);
            check_resident(request, shape, limit)?;
        }
        Ok(())
    }
}
