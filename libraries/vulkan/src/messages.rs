//! What the validation layer says.

use std::borrow::Cow;
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// Messages, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    /// All of them so far.
    pub(crate) fn all(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    /// What makes the layer call us. The box that it points to must outlive the messenger.
    pub(crate) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                    | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(take))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }
}

/// Called by the layer.
unsafe extern "system" fn take(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a description that is valid during the call, or null.
    let text = unsafe { data.as_ref() }.map_or(std::ptr::null(), |data| data.p_message);
    let text = if text.is_null() {
        Cow::Borrowed("no text")
    } else {
        // SAFETY: a string that ends with zero, as the description promises.
        unsafe { CStr::from_ptr(text) }.to_string_lossy()
    };
    // SAFETY: the address that `messenger` gave, of messages that outlive it.
    if let Some(messages) = unsafe { messages.cast::<Messages>().as_ref() } {
        let mut all = messages.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(format!("{severity:?}: {text}"));
    }
    vk::FALSE
}
